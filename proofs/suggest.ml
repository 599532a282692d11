(* Suggestions for the checker: the atoms that can be derived in any state, numbers of them, and strata.

   Not trusted: the checker proves that no atom is missing and that the strata are right, or refuses.

   Atoms are found by matching each new atom with each condition, and the other conditions of the clause with the atoms
   found before (semi-naive evaluation). Negative conditions are taken to hold; what can be true next can be
   true; and what can be legal can be done. *)

open Checker

exception Too_many of string

let rec hash (Ground (f, gs)) = List.fold_left (fun h g -> (h * 31) + hash g) (Hashtbl.hash f) gs land max_int

module Atoms = Hashtbl.Make (struct
  type t = ground

  let equal (a : ground) b = a = b
  let hash = hash
end)

let rec positive n =
  if n = 1 then XH else if n land 1 = 1 then XI (positive (n lsr 1)) else XO (positive (n lsr 1))

let rec nat n = if n = 0 then O else S (nat (n - 1))
let rec depth (Ground (_, gs)) = 1 + List.fold_left (fun d g -> max d (depth g)) 0 gs

let largest_depth = 40
let most_atoms = 300_000

(* The atoms of a predicate: all, and those with a term in a place. *)
type group = {
  mutable all : ground list list;
  mutable size : int;
  by_argument : (int * ground, ground list list ref * int ref) Hashtbl.t;
}

let known_atoms (rules : program) (start : ground list) =
  let number = Atoms.create 1000 and order = ref [] and pending = Queue.create () and indexed = Atoms.create 1000 in
  let groups : (string, group) Hashtbl.t = Hashtbl.create 50 in
  let group f =
    match Hashtbl.find_opt groups f with
    | Some g -> g
    | None ->
        let g = { all = []; size = 0; by_argument = Hashtbl.create 50 } in
        Hashtbl.add groups f g;
        g
  in
  let rec add g =
    if not (Atoms.mem number g) then begin
      let n = Atoms.length number + 1 in
      if n > most_atoms then
        raise (Too_many (Printf.sprintf "the rules allow more than %d atoms, such as %s" most_atoms (show g)));
      if depth g > largest_depth then raise (Too_many ("terms of the rules grow without end, as in " ^ show g));
      Atoms.add number g (positive n);
      order := g :: !order;
      Queue.add g pending;
      match g with
      | Ground (("next" | "init"), [ f ]) -> add (Ground ("true", [ f ]))
      | Ground ("legal", [ r; m ]) -> add (Ground ("does", [ r; m ]))
      | _ -> ()
    end
  in
  (* The clauses with a condition about a predicate, with the other conditions. *)
  let uses : (string, clause * atom * atom list) Hashtbl.t = Hashtbl.create 50 in
  let rec split before = function
    | [] -> []
    | a :: after -> (a, List.rev_append before after) :: split (a :: before) after
  in
  let equal_terms b (t, u) =
    match (value_of b t, value_of b u) with Some g, Some h -> g = h | _ -> false
  in
  let candidates b a =
    let g = group a.predicate in
    match atom_value b a with
    | Some (Ground (_, gs) as atom) -> if Atoms.mem indexed atom then (1, [ gs ]) else (0, [])
    | None ->
        let best = ref (g.size, g.all) in
        let narrow i t =
          match value_of b t with
          | None -> ()
          | Some v -> (
              match Hashtbl.find_opt g.by_argument (i, v) with
              | None -> best := (0, [])
              | Some (l, n) -> if !n < fst !best then best := (!n, !l))
        in
        List.iteri narrow a.arguments;
        !best
  in
  let rec join c rest b =
    if not (List.exists (equal_terms b) c.different) then
      match rest with
      | [] -> Option.iter add (atom_value b c.head)
      | _ ->
          let choices = List.map (fun (a, others) -> (candidates b a, a, others)) (split [] rest) in
          let pick best choice =
            let (n, _), _, _ = choice and (m, _), _, _ = best in
            if n < m then choice else best
          in
          let (_, atoms), a, others = List.fold_left pick (List.hd choices) choices in
          List.iter (fun gs -> Option.iter (join c others) (matching_all a.arguments gs b)) atoms
  in
  let clause c =
    List.iter (fun (a, others) -> Hashtbl.add uses a.predicate (c, a, others)) (split [] c.positives);
    if c.positives = [] then join c [] []
  in
  List.iter clause rules;
  List.iter (fun f -> add (Ground ("true", [ f ]))) start;
  let index gs g =
    g.all <- gs :: g.all;
    g.size <- g.size + 1;
    List.iteri
      (fun i v ->
        match Hashtbl.find_opt g.by_argument (i, v) with
        | Some (l, n) ->
            l := gs :: !l;
            incr n
        | None -> Hashtbl.add g.by_argument (i, v) (ref [ gs ], ref 1))
      gs
  in
  while not (Queue.is_empty pending) do
    let (Ground (f, gs) as atom) = Queue.pop pending in
    index gs (group f);
    Atoms.replace indexed atom ();
    List.iter
      (fun (c, a, others) -> Option.iter (join c others) (matching_all a.arguments gs []))
      (Hashtbl.find_all uses f)
  done;
  (List.rev !order, number, fun f -> match Hashtbl.find_opt groups f with Some g -> g.size | None -> 0)

(* Strata: strongly connected components of predicates, in the order in which they depend on each other (Tarjan). *)
let strata (rules : program) =
  let below = Hashtbl.create 50 in
  let depends c =
    List.iter (fun a -> Hashtbl.add below c.head.predicate a.predicate) (c.positives @ c.negatives)
  in
  List.iter depends rules;
  let index = Hashtbl.create 50 and low = Hashtbl.create 50 and stratum = Hashtbl.create 50 in
  let stack = ref [] and count = ref 0 and components = ref 0 in
  let rec visit p =
    let own = !count in
    incr count;
    Hashtbl.replace index p own;
    Hashtbl.replace low p own;
    stack := p :: !stack;
    let see q =
      if not (Hashtbl.mem index q) then visit q;
      if not (Hashtbl.mem stratum q) then Hashtbl.replace low p (min (Hashtbl.find low p) (Hashtbl.find low q))
    in
    List.iter see (Hashtbl.find_all below p);
    if Hashtbl.find low p = own then begin
      let rec close () =
        match !stack with
        | [] -> ()
        | q :: rest ->
            stack := rest;
            Hashtbl.replace stratum q !components;
            if q <> p then close ()
      in
      close ();
      incr components
    end
  in
  List.iter (fun c -> if not (Hashtbl.mem index c.head.predicate) then visit c.head.predicate) rules;
  (stratum, !components)

(* The predicates that depend on moves. *)
let after_moves (rules : program) =
  let late = Hashtbl.create 50 in
  Hashtbl.replace late "does" ();
  let changed = ref true in
  while !changed do
    changed := false;
    let spread c =
      let depends a = Hashtbl.mem late a.predicate in
      if (not (depends c.head)) && List.exists depends (c.positives @ c.negatives) then begin
        Hashtbl.replace late c.head.predicate ();
        changed := true
      end
    in
    List.iter spread rules
  done;
  late

let rec variables = function Var x -> [ x ] | Term (_, ts) -> List.concat_map variables ts

(* In which order to satisfy the positive conditions of a clause: next comes one for which few atoms are left. *)
let order size c =
  let rec next bound rest =
    let cost (_, a) =
      let known t = List.for_all (fun x -> List.mem x bound) (variables t) in
      let known = List.length (List.filter known a.arguments) in
      if known = List.length a.arguments then 0. else float_of_int (size a.predicate) /. (8. ** float_of_int known)
    in
    match List.sort (fun a b -> compare (cost a) (cost b)) rest with
    | [] -> []
    | (i, a) :: _ ->
        let bound = List.concat_map variables a.arguments @ bound in
        i :: next bound (List.filter (fun (j, _) -> j <> i) rest)
  in
  List.map nat (next [] (List.mapi (fun i a -> (i, a)) c.positives))

let suggestions rules start =
  let known_atoms, numbers, size = known_atoms rules start in
  let stratum, components = strata rules in
  let late = after_moves rules in
  let level = Array.init (components + 1) nat in
  {
    known_atoms;
    number_of = (fun g -> Atoms.find_opt numbers g);
    stratum_of = (fun p -> match Hashtbl.find_opt stratum p with Some k -> level.(k) | None -> O);
    strata = level.(components);
    key_of = (fun g -> positive (1 + (hash g land 0xfffff)));
    order_of = order size;
    after_moves = Hashtbl.mem late;
  }

(* Ranks for play without a step limit: a position gets one when after each reply some move of random leads to a position
   that has one. First come those where play is over or nothing is claimed; the others in rounds. *)
let ranks (found : edges list) =
  let rec key b = function
    | XH -> Buffer.contents b
    | XO c -> Buffer.add_char b '0'; key b c
    | XI c -> Buffer.add_char b '1'; key b c
  in
  let key c = key (Buffer.create 64) c in
  let claims = Hashtbl.create 1000 and before = Hashtbl.create 1000 and rank = Hashtbl.create 1000 in
  let positive v = match v.qnum with Zpos _ -> true | Z0 | Zneg _ -> false in
  let position e =
    if positive e.claimed then begin
      let own = key e.from and waiting = ref (List.length e.next_codes) in
      Hashtbl.replace claims own ();
      let reply cs =
        let is_done = ref false in
        List.iter (fun c -> Hashtbl.add before (key c) (own, is_done, waiting)) cs
      in
      List.iter reply e.next_codes
    end
  in
  List.iter position found;
  let pending = Queue.create () in
  let ends = Hashtbl.create 1000 in
  Hashtbl.iter (fun c _ -> if not (Hashtbl.mem claims c) then Hashtbl.replace ends c ()) before;
  Hashtbl.iter (fun c () -> Queue.add (c, 0) pending) ends;
  while not (Queue.is_empty pending) do
    let c, r = Queue.pop pending in
    let reached (own, is_done, waiting) =
      if not !is_done then begin
        is_done := true;
        decr waiting;
        if !waiting = 0 then begin
          Hashtbl.replace rank own (nat (r + 1));
          Queue.add (own, r + 1) pending
        end
      end
    in
    List.iter reached (Hashtbl.find_all before c)
  done;
  fun c -> match Hashtbl.find_opt rank (key c) with Some r -> r | None -> O
