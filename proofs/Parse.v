(** * From KIF text to rules, and back

    KIF is GDL in prefix form: (<= (legal ?p noop) (true (control ?q)) (distinct ?p ?q)). Nothing is proved here, so
    this file has to be read, or its output compared with the game: [show_rules] prints the rules that were read. *)

Require Import Rules Evaluate Game.
From Coq Require Import Ascii NArith.
Open Scope string_scope.

(** ** Words and lists *)

Inductive token := Open | Close | Word (w : string).

(** Letters are made small: case has no meaning in KIF. *)
Definition small (c : ascii) : ascii :=
  let n := N_of_ascii c in
  if ((65 <=? n) && (n <=? 90))%N then ascii_of_N (n + 32) else c.

Definition word (letters : list ascii) : list token :=
  match letters with [] => [] | _ => [Word (string_of_list_ascii (rev letters))] end.

(** [letters] are those of the word that is being read, the last one first. *)
Fixpoint tokens (text : list ascii) (letters : list ascii) (in_comment : bool) : list token :=
  match text with
  | [] => word letters
  | c :: text =>
      if in_comment then tokens text [] (negb (N_of_ascii c =? 10)%N)
      else if Ascii.eqb c "(" then word letters ++ Open :: tokens text [] false
      else if Ascii.eqb c ")" then word letters ++ Close :: tokens text [] false
      else if Ascii.eqb c ";" then word letters ++ tokens text [] true
      else if (N_of_ascii c <=? 32)%N then word letters ++ tokens text [] false
      else tokens text (small c :: letters) false
  end.

Inductive tree := Leaf (w : string) | Node (l : list tree).

(** [done] are the trees that were read in the innermost open list, the last one first; [outer] those of the lists
    around it. *)
Fixpoint trees (l : list token) (done : list tree) (outer : list (list tree)) : result (list tree) :=
  match l, outer with
  | [], [] => Done (rev done)
  | [], _ => Refused "a parenthesis is not closed"
  | Word w :: l, _ => trees l (Leaf w :: done) outer
  | Open :: l, _ => trees l [] (done :: outer)
  | Close :: l, around :: outer => trees l (Node (rev done) :: around) outer
  | Close :: _, [] => Refused "a parenthesis is closed that was not opened"
  end.

(** ** Terms and rules *)

Definition reserved : list string := ["<="; "not"; "or"; "and"; "distinct"].

Definition is_reserved (w : string) : bool := existsb (String.eqb w) reserved.

Definition variable (w : string) : bool := String.prefix "?" w.

Fixpoint term_of (t : tree) : result term :=
  match t with
  | Leaf w =>
      if variable w then Done (Var w)
      else ensure require (negb (is_reserved w)) ("the word " ++ w ++ " is no name"); Done (Term w [])
  | Node (Leaf f :: l) =>
      ensure require (negb (variable f || is_reserved f)) ("the word " ++ f ++ " is no name");
      ts <- collect term_of l; Done (Term f ts)
  | Node _ => Refused "a list does not begin with a name"
  end.

(** The predicates of GDL, with the number of their arguments. *)
Definition keywords : list (name * nat) :=
  [("role", 1); ("init", 1); ("true", 1); ("next", 1); ("legal", 2); ("does", 2); ("goal", 2); ("terminal", 0);
   ("base", 1); ("input", 2)].

Definition atom_of (t : tree) : result atom :=
  term <- term_of t;
  match term with
  | Var x => Refused ("the variable " ++ x ++ " stands where an atom should stand")
  | Term f ts =>
      ensure require (forallb (fun k : name * nat => negb (String.eqb f (fst k)) || Nat.eqb (List.length ts) (snd k)) keywords)
        ("the predicate " ++ f ++ " has another number of arguments in GDL");
      Done (Atom f ts)
  end.

Fixpoint condition_of (t : tree) : result condition :=
  match t with
  | Node [Leaf "not"; a] => a <- atom_of a; Done (Not a)
  | Node [Leaf "distinct"; t; u] => t <- term_of t; u <- term_of u; Done (Distinct t u)
  | Node (Leaf "or" :: l) => cs <- collect condition_of l; Done (Or cs)
  | _ => a <- atom_of t; Done (Holds a)
  end.

(** Heads that GDL forbids. *)
Definition head_of (t : tree) : result atom :=
  a <- atom_of t;
  ensure require (negb (String.eqb (predicate a) "true" || String.eqb (predicate a) "does"))
    ("a rule concludes " ++ predicate a);
  Done a.

Definition rule_of (t : tree) : result rule :=
  match t with
  | Node (Leaf "<=" :: h :: l) => h <- head_of h; cs <- collect condition_of l; Done (Rule h cs)
  | _ => h <- head_of t; Done (Rule h [])
  end.

Definition read_trees (text : list ascii) : result (list tree) := trees (tokens text [] false) [] [].

Definition read_rules (text : list ascii) : result (list rule) :=
  ts <- read_trees text; collect rule_of ts.

(** The clauses of rules: those without [Or] that they stand for. *)
Definition program_of (rules : list rule) : program := flat_map clauses_of rules.

(** A term without variables, from its text. *)
Fixpoint ground_of (t : term) : result ground :=
  match t with
  | Var x => Refused ("the variable " ++ x ++ " stands where a fact or a move should stand")
  | Term f ts => gs <- collect ground_of ts; Done (Ground f gs)
  end.

Definition read_ground (text : list ascii) : result ground :=
  ts <- read_trees text;
  match ts with
  | [t] => t <- term_of t; ground_of t
  | _ => Refused "this is not one term"
  end.

(** ** Printing *)

Definition in_list (words : list string) : string := "(" ++ String.concat " " words ++ ")".

Fixpoint show_term (t : term) : string :=
  match t with
  | Var x => x
  | Term f [] => f
  | Term f ts => in_list (f :: map show_term ts)
  end.

Definition show_atom (a : atom) : string := show_term (Term (predicate a) (arguments a)).

Fixpoint show_condition (c : condition) : string :=
  match c with
  | Holds a => show_atom a
  | Not a => in_list ["not"; show_atom a]
  | Distinct t u => in_list ["distinct"; show_term t; show_term u]
  | Or cs => in_list ("or" :: map show_condition cs)
  end.

Definition show_rule (h : atom) (cs : list condition) : string :=
  match cs with
  | [] => show_atom h
  | _ => in_list ("<=" :: show_atom h :: map show_condition cs)
  end.

(** Rules without [Or], one on a line, as they were read. *)
Definition show_rules (rules : list rule) : list string :=
  flat_map (fun r => map (show_rule (conclusion r)) (all_ways (conditions r))) rules.
