(* JSON text to values. Not trusted: what is read wrong is refused later. *)

type t = Null | Bool of bool | Number of string | Text of string | List of t list | Object of (string * t) list

exception Error of string

let parse (s : string) =
  let n = String.length s and at = ref 0 in
  let fail what = raise (Error (Printf.sprintf "%s at byte %d" what !at)) in
  let peek () = if !at < n then s.[!at] else fail "the text ends too early" in
  let rec blank () =
    if !at < n && String.contains " \t\r\n" s.[!at] then begin
      incr at;
      blank ()
    end
  in
  let expect c =
    blank ();
    if peek () <> c then fail (Printf.sprintf "`%c` is missing" c);
    incr at
  in
  let unicode () =
    if !at + 4 > n then fail "the text ends too early";
    let code = int_of_string_opt ("0x" ^ String.sub s !at 4) in
    at := !at + 4;
    match code with Some code -> code | None -> fail "this is no character"
  in
  let text () =
    expect '"';
    let b = Buffer.create 16 in
    let rec next () =
      let c = peek () in
      incr at;
      match c with
      | '"' -> Buffer.contents b
      | '\\' ->
          let c = peek () in
          incr at;
          (match c with
          | 'n' -> Buffer.add_char b '\n'
          | 't' -> Buffer.add_char b '\t'
          | 'r' -> Buffer.add_char b '\r'
          | 'b' -> Buffer.add_char b '\b'
          | 'f' -> Buffer.add_char b '\012'
          | 'u' -> (
              let code = unicode () in
              match Uchar.is_valid code with
              | true -> Buffer.add_utf_8_uchar b (Uchar.of_int code)
              | false -> fail "this is no character")
          | '"' | '\\' | '/' -> Buffer.add_char b c
          | _ -> fail "this is no character");
          next ()
      | c ->
          Buffer.add_char b c;
          next ()
    in
    next ()
  in
  let rec items : 'a. char -> (unit -> 'a) -> 'a list = fun close item ->
    blank ();
    if peek () = close then begin
      incr at;
      []
    end
    else
      let rec more () =
        let first = item () in
        blank ();
        let c = peek () in
        incr at;
        if c = ',' then first :: more () else if c = close then [ first ] else fail "`,` is missing"
      in
      more ()
  and value depth =
    if depth > 50 then fail "lists are nested too deep";
    blank ();
    match peek () with
    | '{' ->
        incr at;
        let field () =
          blank ();
          let key = text () in
          expect ':';
          (key, value (depth + 1))
        in
        Object (items '}' field)
    | '[' ->
        incr at;
        List (items ']' (fun () -> value (depth + 1)))
    | '"' -> Text (text ())
    | _ -> (
        let start = !at in
        while !at < n && not (String.contains " \t\r\n,]}" s.[!at]) do
          incr at
        done;
        match String.sub s start (!at - start) with
        | "null" -> Null
        | "true" -> Bool true
        | "false" -> Bool false
        | word when float_of_string_opt word <> None -> Number word
        | word -> fail ("`" ^ word ^ "` is no value"))
  in
  let v = value 0 in
  blank ();
  if !at < n then fail "something follows the value";
  v

let field name = function
  | Object fields -> (
      match List.filter (fun (key, _) -> key = name) fields with
      | [ (_, v) ] -> Some v
      | [] -> None
      | _ -> raise (Error ("the field " ^ name ^ " is given twice")))
  | _ -> raise (Error ("an object with the field " ^ name ^ " is missing"))

let get name v = match field name v with Some v -> v | None -> raise (Error ("the field " ^ name ^ " is missing"))
let text = function Text s -> s | _ -> raise (Error "a text is missing")
let list = function List l -> l | _ -> raise (Error "a list is missing")
let number = function
  | Number s -> ( match int_of_string_opt s with Some n when n >= 0 && n <= 1_000_000 -> n | _ -> raise (Error (s ^ " is no number of steps")))
  | _ -> raise (Error "a number is missing")
