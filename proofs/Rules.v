(** * Rules of GDL as data, and the standard model of a stratified set of rules

    Definitions only. The model is defined as in Apt, Blair and Walker, "Towards a theory of declarative
    knowledge" (1988): the least model of the first stratum, the least model of the second above it, and so
    on. Nothing here computes; [Evaluate.v] does, and proves that it computes this. *)

From Coq Require Export List String Bool.
Export ListNotations.

(** ** Terms *)

(** Names of functions, objects, predicates and variables are texts: "cell", "1", "x". *)
Definition name := string.

(** A term without variables: (cell 1 2 b) is [Ground "cell" [Ground "1" []; Ground "2" []; Ground "b" []]].
    Atoms have the same form: the predicate is the name. *)
Inductive ground : Type := Ground (f : name) (arguments : list ground).

(** A term with variables. *)
Inductive term : Type :=
| Var (x : name)
| Term (f : name) (arguments : list term).

(** An atom with variables. *)
Record atom := Atom { predicate : name; arguments : list term }.

(** A substitution gives each variable a term without variables. *)
Definition substitution := name -> ground.

Fixpoint instance (s : substitution) (t : term) : ground :=
  match t with
  | Var x => s x
  | Term f ts => Ground f (map (instance s) ts)
  end.

Definition atom_instance (s : substitution) (a : atom) : ground :=
  Ground (predicate a) (map (instance s) (arguments a)).

Definition predicate_of (a : ground) : name := let (f, _) := a in f.

(** ** Rules *)

(** Conditions of a rule, as they are written in GDL. *)
Inductive condition : Type :=
| Holds (a : atom)
| Not (a : atom)
| Distinct (t u : term)
| Or (alternatives : list condition).

(** (<= conclusion condition ... condition) *)
Record rule := Rule { conclusion : atom; conditions : list condition }.

(** A clause is a rule without [Or]. Its conditions are sorted by their kind; their order has no meaning. *)
Record clause := Clause {
  head : atom;
  positives : list atom;
  negatives : list atom;
  different : list (term * term)
}.

(** The ways to satisfy a condition: each is a list of conditions without [Or]. *)
Fixpoint ways (c : condition) : list (list condition) :=
  match c with
  | Or alternatives => flat_map ways alternatives
  | _ => [[c]]
  end.

(** The ways to satisfy all conditions of a list: one way for each of them. *)
Fixpoint all_ways (cs : list condition) : list (list condition) :=
  match cs with
  | [] => [[]]
  | c :: rest => flat_map (fun way => map (app way) (all_ways rest)) (ways c)
  end.

Definition clause_of (conclusion : atom) (way : list condition) : clause := {|
  head := conclusion;
  positives := flat_map (fun c => match c with Holds a => [a] | _ => [] end) way;
  negatives := flat_map (fun c => match c with Not a => [a] | _ => [] end) way;
  different := flat_map (fun c => match c with Distinct t u => [(t, u)] | _ => [] end) way
|}.

(** A rule with [Or] stands for several clauses. *)
Definition clauses_of (r : rule) : list clause :=
  map (clause_of (conclusion r)) (all_ways (conditions r)).

Definition program := list clause.

(** ** The standard model *)

(** A set of atoms without variables. *)
Definition atoms := ground -> Prop.

Section StandardModel.
  (** The program, the stratum of each predicate, and facts that are added to the program. *)
  Variable rules : program.
  Variable stratum : name -> nat.
  Variable facts : atoms.

  (** Conditions depend on predicates of the same strata or lower ones, negative conditions on lower ones. *)
  Definition stratifies : Prop :=
    forall c, In c rules ->
      (forall a, In a (positives c) -> stratum (predicate a) <= stratum (predicate (head c))) /\
      (forall a, In a (negatives c) -> stratum (predicate a) < stratum (predicate (head c))).

  (** The least set of atoms that contains [below], the model of the strata below [k], and satisfies all
      instances of rules of stratum [k], where a negative condition holds if its atom is not in [below]. *)
  Inductive least (k : nat) (below : atoms) : atoms :=
  | from_below : forall a, below a -> least k below a
  | by_rule : forall c s,
      In c rules ->
      stratum (predicate (head c)) = k ->
      (forall a, In a (positives c) -> least k below (atom_instance s a)) ->
      (forall a, In a (negatives c) -> ~ below (atom_instance s a)) ->
      (forall t u, In (t, u) (different c) -> instance s t <> instance s u) ->
      least k below (atom_instance s (head c)).

  (** The model of the strata below [k]. *)
  Fixpoint model_below (k : nat) : atoms :=
    match k with
    | 0 => facts
    | S k => least k (model_below k)
    end.
End StandardModel.

Definition stratified (rules : program) : Prop := exists stratum, stratifies rules stratum.

(** [model rules facts a]: the atom [a] is in the standard model of the rules and the facts. It does not
    depend on the choice of strata: [model_does_not_depend_on_strata] in [Evaluate.v]. *)
Definition model (rules : program) (facts : atoms) : atoms := fun a =>
  exists stratum, stratifies rules stratum /\
    model_below rules stratum facts (S (stratum (predicate_of a))) a.
