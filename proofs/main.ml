(* sqasp-check GAME... STRATEGY.json: proves the value of a game from a strategy of both sides, by a verified checker.

   Glue: it reads files, suggests, and prints. The value is what [Checker.check] or [Checker.check_endless] returns, for the
   question that [verify] prints and the rules that [Checker.read_rules] reads, which `sqasp-check --print GAME...` prints. *)

open Checker

exception Failed of int * string

let fail code text = raise (Failed (code, text))

let read_file path =
  try
    let channel = if path = "-" then stdin else open_in_bin path in
    let b = Buffer.create 65536 in
    (try
       while true do
         Buffer.add_channel b channel 1
       done
     with End_of_file -> ());
    if path <> "-" then close_in channel;
    Buffer.contents b
  with Sys_error why -> fail 66 why

let characters s = List.init (String.length s) (String.get s)

let read_rules paths =
  let texts = List.map read_file paths in
  match Checker.read_rules (characters (String.concat "\n" texts)) with
  | Done rules -> rules
  | Refused why ->
      fail 65
        (Printf.sprintf "%s: %s\nThis reads standard GDL in prefix form; `sqasp translate GAME --to kif --standalone` writes it."
           (String.concat " " paths) why)

(* The canonical text of rules: without [Or], repeated rules and conditions, and conditions that always or never hold. *)
let without_repeats l =
  let seen = Hashtbl.create 10 in
  List.filter (fun a -> let is_new = not (Hashtbl.mem seen a) in Hashtbl.replace seen a (); is_new) l
let rec alternatives = function Or cs -> without_repeats (List.concat_map alternatives cs) | c -> [ c ]

let rec clash t u =
  match (t, u) with
  | Var _, _ | _, Var _ -> false
  | Term (f, ts), Term (g, us) -> f <> g || List.length ts <> List.length us || List.exists2 clash ts us

let canonical r =
  let longer bodies c = List.concat_map (fun body -> List.map (fun a -> a :: body) (alternatives c)) bodies in
  let never = function Distinct (t, u) -> t = u | _ -> false in
  let always = function Distinct (t, u) -> clash t u | _ -> false in
  let bodies = List.map List.rev (List.fold_left longer [ [] ] r.conditions) in
  let possible = List.filter (fun body -> not (List.exists never body)) bodies in
  List.map (fun body -> show_rule r.conclusion (without_repeats (List.filter (fun c -> not (always c)) body))) possible

let fingerprint rules = Sha256.hex (String.concat "\n" (without_repeats (List.concat_map canonical rules)))

(* Terms by their text, each read once. *)
let terms : (string, ground) Hashtbl.t = Hashtbl.create 1000

let term text =
  match Hashtbl.find_opt terms text with
  | Some g -> g
  | None -> (
      match read_ground (characters text) with
      | Done g ->
          Hashtbl.add terms text g;
          g
      | Refused why -> raise (Json.Error (text ^ ": " ^ why)))

(* Whole numbers of any size between decimal text and Coq's numbers. *)
let ten = XO (XI (XO XH))

let natural text =
  if text = "" || not (String.for_all (fun c -> '0' <= c && c <= '9') text) then
    raise (Json.Error (text ^ " is no number"));
  String.fold_left
    (fun n c ->
      let d = Char.code c - 48 in
      N.add (N.mul n (Npos ten)) (if d = 0 then N0 else Npos (Suggest.positive d)))
    N0 text

let decimal n =
  let rec digits n rest =
    match n with
    | N0 -> rest
    | _ ->
        let q, r = N.div_eucl n (Npos ten) in
        let rec small = function XH -> 1 | XO p -> 2 * small p | XI p -> (2 * small p) + 1 in
        let d = match r with N0 -> 0 | Npos p -> small p in
        digits q (string_of_int d ^ rest)
  in
  match n with N0 -> "0" | _ -> digits n ""

let integer n = match n with N0 -> Z0 | Npos p -> Zpos p

let fraction text =
  let over, under =
    match String.split_on_char '/' text with
    | [ a ] -> (natural a, Npos XH)
    | [ a; b ] -> (natural a, natural b)
    | _ -> raise (Json.Error (text ^ " is no fraction"))
  in
  match under with
  | N0 -> raise (Json.Error (text ^ " is no fraction"))
  | Npos under -> { qnum = integer over; qden = under }

let show_value v =
  match v.qnum with
  | Zneg _ -> "a negative number"
  | Z0 | Zpos _ ->
      let over = match v.qnum with Zpos p -> Npos p | _ -> N0 in
      decimal over ^ if v.qden = XH then "" else "/" ^ decimal (Npos v.qden)

(* A number, multiplied by 10^shift, with up to six digits, rounded. *)
let rounded shift v =
  let over = match v.qnum with Zpos p -> p | _ -> XH in
  match v.qnum with
  | Z0 | Zneg _ -> "0"
  | Zpos _ ->
      let scaled digits =
        let power = N.pow (Npos ten) (natural (string_of_int (digits + shift))) in
        let twice = N.mul (Npos (XO XH)) (N.mul (Npos over) power) in
        fst (N.div_eucl (N.add twice (Npos v.qden)) (Npos (XO v.qden)))
      in
      let rec places digits = if digits > 0 && String.length (decimal (scaled digits)) > 6 then places (digits - 1) else digits in
      let digits = places 12 in
      let text = decimal (scaled digits) in
      let text = String.make (max 0 (digits + 1 - String.length text)) '0' ^ text in
      let whole = String.sub text 0 (String.length text - digits) in
      let part = String.sub text (String.length whole) digits in
      let rec strip s = if s <> "" && s.[String.length s - 1] = '0' then strip (String.sub s 0 (String.length s - 1)) else s in
      let part = strip part in
      if part = "" then whole else whole ^ "." ^ part

let aim_of objective =
  match objective with
  | "win" -> Win
  | "score" -> Score
  | "points" -> Points
  | _ when String.length objective > 6 && String.sub objective 0 6 = "goal>=" ->
      AtLeast (natural (String.sub objective 6 (String.length objective - 6)))
  | _ -> raise (Json.Error ("the objective " ^ objective ^ " is not known"))

let read_strategy text =
  let json = Json.parse text in
  let open Json in
  let optional name read v =
    match field name v with
    | Some (Text _ as t) -> Some (read t)
    | Some Null | None -> None
    | Some _ -> raise (Error ("the field " ^ name ^ " is no text"))
  in
  if Json.text (get "format" json) <> "sqasp-strategy" then
    raise (Error ("`format` is " ^ Json.text (get "format" json) ^ "; only sqasp-strategy is checked here"));
  if number (get "version" json) <> 1 then raise (Error "another version of the format");
  let facts v = List.map (fun f -> term (Json.text f)) (list v) in
  let value v = fraction (Json.text v) in
  let position v =
    {
      facts = facts (get "state" v);
      steps_left = (match field "steps" v with Some n -> Some (Suggest.nat (number n)) | None -> None);
      claim = optional "value" value v;
    }
  in
  let move v = term (Json.text (get "move" v)) in
  let reply = function
    | Object l -> List.map (fun (r, m) -> (term r, term (Json.text m))) l
    | _ -> raise (Error "`reply` is no object")
  in
  let answer v = { to_move = move v; replies = reply (get "reply" v); answer_claim = optional "value" value v } in
  let depth =
    match get "depth" json with
    | Text "unbounded" -> None
    | v -> Some (number v)
  in
  let objective = Json.text (get "objective" json) in
  let start = facts (get "start" json) in
  let who = term (Json.text (get "role" json)) in
  let question = { who; aim = aim_of objective; start = Some start; steps = Suggest.nat (Option.value depth ~default:0) } in
  let strategy =
    {
      player = List.map (fun v -> (position v, move v)) (list (get "player" json));
      opponents = List.map (fun v -> (position v, List.map answer (list (get "answers" v)))) (list (get "opponents" json));
      promise = value (get "value" json);
    }
  in
  let roles = List.map (fun r -> term (Json.text r)) (list (get "roles" json)) in
  ignore (Json.text (get "game" json));
  (json, question, strategy, depth, objective, roles)

let aim_words who objective =
  match objective with
  | "win" -> who ^ " can guarantee winning with this probability"
  | "score" -> who ^ " can guarantee this part of 100 points on average"
  | "points" -> who ^ " can guarantee this many points on average"
  | _ -> who ^ " can guarantee at least " ^ String.sub objective 6 (String.length objective - 6) ^ " points with this probability"

let verify paths strategy_path =
  let began = Sys.time () in
  let rules = read_rules paths in
  let text = read_file strategy_path in
  let json, question, strategy, depth, objective, roles =
    try read_strategy text
    with Json.Error why -> fail 65 ("refused: this is no strategy in the format of docs/strategy-format.md: " ^ why)
  in
  let known = Json.text (Json.get "rules_sha256" json) and found = fingerprint rules in
  if known <> found then
    fail 65
      (Printf.sprintf
         "refused: this strategy was made for other rules: the SHA-256 of its rules is %s, and that of the rules given %s\n\
          For a game with libraries, or one that is not standard GDL, give what `sqasp translate --to kif --standalone` prints." known found);
  let role_of r =
    match r.conclusion with
    | { predicate = "role"; arguments = [ Term (name, []) ] } -> Some (Ground (name, []))
    | _ -> None
  in
  let known_roles = List.filter_map role_of rules in
  if roles <> known_roles then fail 65 "refused: the roles of the strategy are not those of the game, in their order";
  let program = program_of rules in
  let suggested =
    try Suggest.suggestions program (Option.get question.start)
    with Suggest.Too_many why -> fail 65 ("refused: " ^ why)
  in
  let start = List.sort_uniq compare (Option.get question.start) in
  let initial = List.filter_map (function Ground ("init", [ f ]) -> Some f | _ -> None) suggested.known_atoms in
  let question = if List.sort compare initial = start then { question with start = None } else question in
  let checked =
    match depth with
    | Some _ -> check suggested program question strategy
    | None -> check_endless suggested Suggest.ranks program question strategy
  in
  match checked with
  | Refused why -> fail 65 ("refused: " ^ why)
  | Done v ->
      let from = if question.start = None then "" else " from the state " ^ show_all start in
      let number = if List.mem objective [ "points"; "score" ] then rounded 0 v else rounded 2 v ^ " %" in
      let shown = number ^ if v.qden = XH then "" else " (" ^ show_value v ^ ")" in
      Printf.printf "%s: proved by a verified checker\n%s %s%s (%d positions on the role's side, %d on the opponents', %.2f s)\n" shown
        (aim_words (show question.who) objective)
        (match depth with
        | None -> "without a step limit"
        | Some 1 -> "within 1 step"
        | Some n -> Printf.sprintf "within %d steps" n)
        from (List.length strategy.player) (List.length strategy.opponents)
        (Sys.time () -. began)

let ground_program paths =
  let program = program_of (read_rules paths) in
  let suggested = try Suggest.suggestions program [] with Suggest.Too_many why -> fail 65 ("refused: " ^ why) in
  match ground_rules suggested program with
  | Refused why -> fail 65 ("refused: " ^ why)
  | Done p -> (p, suggested.known_atoms)

(* For each line of standard input, a JSON object, what holds in the state `facts` (without it the initial one), and in the next
   one after the joint move `move`. *)
let answer_states paths =
  let p, known = ground_program paths in
  let number_of g = match p.number g with Some i -> i | None -> fail 65 ("refused: " ^ show g ^ " was not foreseen") in
  let model facts moves =
    match evaluate_before p (List.map number_of facts) with
    | None -> fail 65 "refused: the rules cannot be evaluated"
    | Some d -> (
        match evaluate_after p d (List.map number_of moves) with
        | None -> fail 65 "refused: the rules cannot be evaluated"
        | Some set -> List.filter (fun g -> has set (number_of g)) known)
  in
  let pick f atoms = List.filter_map (function Ground (g, l) when f = g -> Some l | _ -> None) atoms in
  let first l = List.map List.hd l in
  let quoted l = "[" ^ String.concat "," (List.map (fun s -> "\"" ^ s ^ "\"") (List.sort compare (List.map show l))) ^ "]" in
  let initial = first (pick "init" (model [] [])) in
  let by_role roles f atoms =
    let of_role r = quoted (List.filter_map (function [ s; m ] when s = r -> Some m | _ -> None) (pick f atoms)) in
    "{" ^ String.concat "," (List.map (fun r -> "\"" ^ show r ^ "\":" ^ of_role r) roles) ^ "}"
  in
  let roles = first (pick "role" (model [] [])) in
  try
    while true do
      let line = Json.parse (input_line stdin) in
      let facts =
        match Json.field "facts" line with Some l -> List.map (fun f -> term (Json.text f)) (Json.list l) | None -> initial
      in
      let facts_true = List.map (fun f -> Ground ("true", [ f ])) facts in
      let atoms = model facts_true [] in
      let next =
        match Json.field "move" line with
        | Some (Json.Object moves) ->
            let does (r, m) = Ground ("does", [ term r; term (Json.text m) ]) in
            ",\"next\":" ^ quoted (first (pick "next" (model facts_true (List.map does moves))))
        | _ -> ""
      in
      Printf.printf "{\"facts\":%s,\"terminal\":%b,\"legal\":%s,\"goals\":%s%s}\n%!" (quoted facts)
        (pick "terminal" atoms <> []) (by_role roles "legal" atoms) (by_role roles "goal" atoms) next
    done
  with
  | End_of_file -> ()
  | Json.Error why -> fail 65 why

(* The value by Definition 1, without a strategy. *)
let define_value role objective depth paths =
  let program = program_of (read_rules paths) in
  let question =
    try { who = term role; aim = aim_of objective; start = None; steps = Suggest.nat (int_of_string depth) }
    with Json.Error why | Failure why -> fail 2 why
  in
  let suggested = try Suggest.suggestions program [] with Suggest.Too_many why -> fail 65 ("refused: " ^ why) in
  match define suggested program question with
  | Refused why -> fail 65 ("refused: " ^ why)
  | Done v -> Printf.printf "%s\n" (show_value (qred v))

let usage =
  "Proves the value of a game from a strategy of both sides, by a verified checker.\n\n\
   sqasp-check GAME... STRATEGY.json\n\
   sqasp-check --print GAME...                       the rules as they were read\n\
   sqasp-check --define ROLE OBJECTIVE DEPTH GAME... the value by Definition 1, by trying everything\n\
   sqasp-check --states GAME...                      what holds in the states of standard input, for tests\n"

let () =
  let code =
    try
      match List.tl (Array.to_list Sys.argv) with
      | "--print" :: (_ :: _ as paths) ->
          List.iter print_endline (show_rules (read_rules paths));
          0
      | "--states" :: (_ :: _ as paths) ->
          answer_states paths;
          0
      | "--define" :: role :: objective :: depth :: (_ :: _ as paths) ->
          define_value role objective depth paths;
          0
      | "--help" :: _ ->
          print_string usage;
          0
      | [] | [ _ ] ->
          prerr_string usage;
          2
      | arguments ->
          let reversed = List.rev arguments in
          verify (List.rev (List.tl reversed)) (List.hd reversed);
          0
    with
    | Failed (code, text) ->
        prerr_endline text;
        code
    | Json.Error why ->
        prerr_endline ("refused: this is no strategy in the format of docs/strategy-format.md: " ^ why);
        65
    | Stack_overflow | Out_of_memory ->
        prerr_endline "the memory does not suffice";
        75
  in
  exit code
