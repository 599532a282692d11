(** * Evaluation of rules, and its proof

    First all instances of the rules that can matter are made, once for a game: [ground]. Then each state
    is evaluated by these, where an atom is a number: [evaluate]. [evaluate_is_model] says that the result is the
    standard model.

    Suggestions make this fast and are not trusted: a list of atoms in which all that can be derived should be,
    the strata of the predicates, and the predicates that depend on moves. What is wrong with them is noticed, and
    the rules are refused. *)

Require Import Rules Stable.
From Coq Require Import Arith PArith FMapPositive MSetPositive Lia.
Open Scope string_scope.

(** ** Results: refused in words, or done *)

Inductive result (A : Type) : Type := Done (a : A) | Refused (why : string).
Arguments Done {A} a.
Arguments Refused {A} why.

Definition bind {A B} (r : result A) (f : A -> result B) : result B :=
  match r with Done a => f a | Refused why => Refused why end.

Notation "x <- r ; f" := (bind r (fun x => f)) (at level 100, r at level 99, f at level 200, right associativity).

Notation "'ensure' r ; f" := (bind r (fun _ => f)) (at level 100, r at level 99, f at level 200, right associativity).

Section Collect.
  Context {A B : Type} (f : A -> result B).
  Fixpoint collect (l : list A) : result (list B) :=
    match l with
    | [] => Done []
    | a :: l => b <- f a; bs <- collect l; Done (b :: bs)
    end.
End Collect.

Definition require (condition : bool) (why : string) : result unit :=
  if condition then Done tt else Refused why.

Lemma bind_done {A B} (r : result A) (f : A -> result B) b :
  bind r f = Done b -> exists a, r = Done a /\ f a = Done b.
Proof. destruct r; simpl; intros H; [eauto|discriminate]. Qed.

Lemma require_done condition why u : require condition why = Done u -> condition = true.
Proof. unfold require. destruct condition; [reflexivity|discriminate]. Qed.

Lemma done_equal {A} (a b : A) : Done a = Done b -> a = b.
Proof. intros [= ->]. reflexivity. Qed.

(** Takes a computation that ended well into its steps. *)
Ltac steps_of H :=
  match type of H with
  | bind _ _ = Done _ =>
      let a := fresh "r" in let E := fresh "E" in
      apply bind_done in H as (a & E & H); steps_of E; steps_of H
  | require _ _ = Done _ => apply require_done in H
  | Done _ = Done _ => apply done_equal in H
  | Refused _ = Done _ => discriminate H
  | _ => idtac
  end.

Lemma collect_done {A B} (f : A -> result B) l bs :
  collect f l = Done bs -> Forall2 (fun a b => f a = Done b) l bs.
Proof.
  revert bs. induction l as [|a l IH]; simpl; intros bs H; steps_of H; subst; constructor; auto.
Qed.

Lemma Forall2_left {A B} (R : A -> B -> Prop) l m a : Forall2 R l m -> In a l -> exists b, In b m /\ R a b.
Proof.
  induction 1 as [|x y l m Hxy _ IH]; intros H; [destruct H|destruct H as [->|H]].
  - exists y. split; [left|]; auto.
  - destruct (IH H) as (b & Hb & Hr). exists b. split; [right|]; auto.
Qed.

Lemma Forall2_right {A B} (R : A -> B -> Prop) l m b : Forall2 R l m -> In b m -> exists a, In a l /\ R a b.
Proof.
  induction 1 as [|x y l m Hxy _ IH]; intros H; [destruct H|destruct H as [->|H]].
  - exists x. split; [left|]; auto.
  - destruct (IH H) as (a & Ha & Hr). exists a. split; [right|]; auto.
Qed.

Lemma Forall2_same_length {A B} (R : A -> B -> Prop) l m : Forall2 R l m -> List.length l = List.length m.
Proof. induction 1; simpl; congruence. Qed.

Lemma Forall2_implies {A B} (R S : A -> B -> Prop) l m :
  (forall a b, R a b -> S a b) -> Forall2 R l m -> Forall2 S l m.
Proof. intros H. induction 1; constructor; auto. Qed.

Lemma forallb_equal {A} (f g : A -> bool) l : (forall a, In a l -> f a = g a) -> forallb f l = forallb g l.
Proof.
  induction l as [|a l IH]; intros H; simpl; [reflexivity|].
  rewrite H by (left; reflexivity). f_equal. apply IH. intros; apply H; right; assumption.
Qed.

(** ** Equality of terms *)

Fixpoint ground_eqb (g h : ground) : bool :=
  match g, h with
  | Ground f gs, Ground k hs =>
      String.eqb f k &&
      (fix all gs hs := match gs, hs with
                        | [], [] => true
                        | g :: gs, h :: hs => ground_eqb g h && all gs hs
                        | _, _ => false
                        end) gs hs
  end.

(** Induction over terms, which the compiler does not find by itself below lists. *)
Section GroundInduction.
  Variable P : ground -> Prop.
  Hypothesis H : forall f gs, Forall P gs -> P (Ground f gs).
  Fixpoint ground_induction (g : ground) : P g :=
    match g with
    | Ground f gs =>
        H f gs ((fix all gs : Forall P gs :=
          match gs with
          | [] => Forall_nil P
          | g :: gs => Forall_cons g (ground_induction g) (all gs)
          end) gs)
    end.
End GroundInduction.

Section TermInduction.
  Variable P : term -> Prop.
  Hypothesis HV : forall x, P (Var x).
  Hypothesis HT : forall f ts, Forall P ts -> P (Term f ts).
  Fixpoint term_induction (t : term) : P t :=
    match t with
    | Var x => HV x
    | Term f ts =>
        HT f ts ((fix all ts : Forall P ts :=
          match ts with
          | [] => Forall_nil P
          | t :: ts => Forall_cons t (term_induction t) (all ts)
          end) ts)
    end.
End TermInduction.

Lemma ground_eqb_spec g h : ground_eqb g h = true <-> g = h.
Proof.
  revert h. induction g as [f gs IH] using ground_induction. intros [k hs]. simpl.
  rewrite andb_true_iff, String.eqb_eq.
  assert (H : forall hs, (fix all gs hs := match gs, hs with
                        | [], [] => true
                        | g :: gs, h :: hs => ground_eqb g h && all gs hs
                        | _, _ => false
                        end) gs hs = true <-> gs = hs).
  { clear hs. induction IH as [|g gs Hg _ IH]; intros [|h hs]; try (split; (discriminate || reflexivity)).
    rewrite andb_true_iff, Hg, IH. split; [intros [-> ->]|intros [= -> ->]]; auto. }
  rewrite H. split; [intros [-> ->]|intros [= -> ->]]; auto.
Qed.

Lemma ground_eqb_refl g : ground_eqb g g = true.
Proof. apply ground_eqb_spec; reflexivity. Qed.

(** The text of terms, for messages. *)
Fixpoint show (g : ground) : string :=
  match g with
  | Ground f [] => f
  | Ground f gs => "(" ++ f ++ String.concat "" (map (fun g => " " ++ show g) gs) ++ ")"
  end.

Definition show_all (l : list ground) : string := String.concat " " (map show l).

Fixpoint digits_of (fuel n : nat) : string :=
  let digit := String (Ascii.ascii_of_nat (48 + Nat.modulo n 10)) "" in
  match fuel with
  | O => digit
  | S fuel => if Nat.ltb n 10 then digit else digits_of fuel (Nat.div n 10) ++ digit
  end.
Definition show_nat (n : nat) : string := digits_of n n.

(** ** Matching *)

(** The values of some variables. *)
Definition binding := list (name * ground).

Fixpoint lookup (x : name) (b : binding) : option ground :=
  match b with
  | [] => None
  | (y, g) :: b => if String.eqb x y then Some g else lookup x b
  end.

(** Makes a term equal to a term without variables, by values for more variables. *)
Fixpoint matching (t : term) (g : ground) (b : binding) : option binding :=
  match t with
  | Var x =>
      match lookup x b with
      | Some h => if ground_eqb g h then Some b else None
      | None => Some ((x, g) :: b)
      end
  | Term f ts =>
      let (k, gs) := g in
      if String.eqb f k then
        (fix all ts gs b := match ts, gs with
                            | [], [] => Some b
                            | t :: ts, g :: gs =>
                                match matching t g b with Some b => all ts gs b | None => None end
                            | _, _ => None
                            end) ts gs b
      else None
  end.

Fixpoint matching_all (ts : list term) (gs : list ground) (b : binding) : option binding :=
  match ts, gs with
  | [], [] => Some b
  | t :: ts, g :: gs => match matching t g b with Some b => matching_all ts gs b | None => None end
  | _, _ => None
  end.

(** The instance of a term, if all its variables have values. *)
Fixpoint value_of (b : binding) (t : term) : option ground :=
  match t with
  | Var x => lookup x b
  | Term f ts =>
      match (fix all ts := match ts with
                           | [] => Some []
                           | t :: ts =>
                               match value_of b t, all ts with
                               | Some g, Some gs => Some (g :: gs)
                               | _, _ => None
                               end
                           end) ts with
      | Some gs => Some (Ground f gs)
      | None => None
      end
  end.

Definition atom_value (b : binding) (a : atom) : option ground := value_of b (Term (predicate a) (arguments a)).

Definition consistent (b : binding) (s : substitution) : Prop := forall x g, lookup x b = Some g -> s x = g.

(** The substitution that a binding begins. *)
Definition substitution_of (b : binding) : substitution := fun x =>
  match lookup x b with Some g => g | None => Ground x [] end.

Lemma consistent_with_itself b : consistent b (substitution_of b).
Proof. intros x g H. unfold substitution_of. rewrite H. reflexivity. Qed.

Lemma matching_complete s t : forall b, consistent b s ->
  exists b', matching t (instance s t) b = Some b' /\ consistent b' s.
Proof.
  induction t as [x|f ts IH] using term_induction; intros b Hb; simpl.
  - destruct (lookup x b) as [h|] eqn:E.
    + rewrite (Hb _ _ E), ground_eqb_refl. eauto.
    + eexists; split; [reflexivity|]. intros y g. simpl.
      destruct (String.eqb_spec y x) as [->|_]; [intros [= <-]; reflexivity|apply Hb].
  - rewrite String.eqb_refl. revert b Hb. induction IH as [|t ts Ht _ IH]; intros b Hb; simpl; [eauto|].
    destruct (Ht b Hb) as (b' & -> & Hb'). apply IH, Hb'.
Qed.

Lemma matching_all_complete s ts : forall b, consistent b s ->
  exists b', matching_all ts (map (instance s) ts) b = Some b' /\ consistent b' s.
Proof.
  induction ts as [|t ts IH]; intros b Hb; simpl; [eauto|].
  destruct (matching_complete s t b Hb) as (b' & -> & Hb'). apply IH, Hb'.
Qed.

Lemma value_of_sound s b t g : consistent b s -> value_of b t = Some g -> instance s t = g.
Proof.
  intros Hb. revert g. induction t as [x|f ts IH] using term_induction; intros g; simpl; [apply Hb|].
  intros H. match type of H with match ?e with _ => _ end = _ => destruct e as [gs|] eqn:E end; [|discriminate].
  injection H as <-. f_equal. revert gs E. induction IH as [|t ts Ht _ IH]; intros gs E; [injection E as <-; reflexivity|].
  destruct (value_of b t) as [g|] eqn:Eg; [|discriminate].
  match type of E with match ?e with _ => _ end = _ => destruct e as [gs'|] eqn:E' end; [|discriminate].
  injection E as <-. simpl. f_equal; auto.
Qed.

Lemma atom_value_sound s b a g : consistent b s -> atom_value b a = Some g -> atom_instance s a = g.
Proof. apply value_of_sound with (t := Term (predicate a) (arguments a)). Qed.

(** ** Ground programs *)

(** A rule over the numbers of atoms: [conclude] if all of [given] hold, and none of [unless]. *)
Record ground_rule := GroundRule { conclude : positive; given : list positive; unless : list positive }.

(** The rules of a stratum, and whether some of them depend on each other. *)
Definition group : Type := bool * list ground_rule.

Record suggestions := Suggestions {
  known_atoms : list ground;
  number_of : ground -> option positive;
  stratum_of : name -> nat;
  strata : nat;                         (** all strata are below this *)
  key_of : ground -> positive;          (** a number that tells most terms apart *)
  order_of : clause -> list nat;        (** in which order to satisfy the positive conditions *)
  after_moves : name -> bool            (** predicates that depend on moves *)
}.

Record ground_program := GroundProgram {
  atom_table : PositiveMap.t ground;
  number : ground -> option positive;
  before_rules : list group;            (** these do not depend on moves *)
  after_rules : list group;
  late : PositiveSet.t;                 (** atoms that may depend on moves *)
  passes : nat                          (** no evaluation takes more passes over the rules *)
}.

(** The atom with a number. *)
Definition atom_at (p : ground_program) (i : positive) : option ground := PositiveMap.find i (atom_table p).

Fixpoint table (i : positive) (l : list ground) : PositiveMap.t ground :=
  match l with
  | [] => PositiveMap.empty ground
  | g :: l => PositiveMap.add i g (table (Pos.succ i) l)
  end.

Section Grounding.
  Variable suggested : suggestions.
  Variable atom_table : PositiveMap.t ground.
  Variable late : PositiveSet.t.

  (** The number of an atom: that suggested, if the table agrees. *)
  Definition checked_number (g : ground) : option positive :=
    match number_of suggested g with
    | Some i =>
        match PositiveMap.find i atom_table with
        | Some h => if ground_eqb g h then Some i else None
        | None => None
        end
    | None => None
    end.

  (** The arguments of all known atoms of a predicate. *)
  Definition with_predicate (p : name) : list (list ground) :=
    flat_map (fun g : ground => let (f, gs) := g in if String.eqb p f then [gs] else []) (known_atoms suggested).

  (** Lists of arguments by the key of one of them. *)
  Definition index := PositiveMap.t (list (list ground)).

  Definition at_key (k : positive) (m : index) : list (list ground) :=
    match PositiveMap.find k m with Some l => l | None => [] end.

  Fixpoint index_by (place : nat) (l : list (list ground)) : index :=
    match l with
    | [] => PositiveMap.empty _
    | gs :: l =>
        let m := index_by place l in
        match nth_error gs place with
        | Some g => let k := key_of suggested g in PositiveMap.add k (gs :: at_key k m) m
        | None => m
        end
    end.

  (** The arguments of the known atoms of a predicate, in a list and by each of them. *)
  Definition indexed (l : list (list ground)) : list (list ground) * list index :=
    (l, map (fun place => index_by place l) (seq 0 (match l with [] => 0 | gs :: _ => List.length gs end))).

  Definition candidates := list (name * (list (list ground) * list index)).

  Fixpoint candidates_for (groups : candidates) (p : name) : list (list ground) * list index :=
    match groups with
    | [] => indexed (with_predicate p)
    | (q, group) :: groups => if String.eqb p q then group else candidates_for groups p
    end.

  Fixpoint is_shorter {A} (l m : list A) : bool :=
    match l, m with
    | [], _ => true
    | _, [] => false
    | _ :: l, _ :: m => is_shorter l m
    end.

  (** The shortest list of those for arguments with a value. *)
  Fixpoint narrow (b : binding) (ts : list term) (indices : list index) (best : list (list ground)) : list (list ground) :=
    match ts, indices with
    | t :: ts, m :: indices =>
        let best :=
          match value_of b t with
          | Some g => let found := at_key (key_of suggested g) m in if is_shorter found best then found else best
          | None => best
          end in
        narrow b ts indices best
    | _, _ => best
    end.

  (** All ways to make positive conditions known atoms. *)
  Fixpoint join (groups : candidates) (conditions : list atom) (b : binding) : list binding :=
    match conditions with
    | [] => [b]
    | a :: conditions =>
        match atom_value b a with
        | Some g => match checked_number g with Some _ => join groups conditions b | None => [] end
        | None =>
            let (l, indices) := candidates_for groups (predicate a) in
            flat_map (fun gs => match matching_all (arguments a) gs b with
                                | Some b => join groups conditions b
                                | None => []
                                end) (narrow b (arguments a) indices l)
        end
    end.

  (** The positive conditions of a clause in the suggested order. One that is left out does no harm: then a variable
      has no value, or atoms of the instance are not known, and the clause is refused. *)
  Definition ordered (c : clause) : list atom :=
    flat_map (fun i => match nth_error (positives c) i with Some a => [a] | None => [] end) (order_of suggested c).

  Definition number_in (b : binding) (a : atom) : result positive :=
    match atom_value b a with
    | None => Refused ("a variable of (" ++ predicate a ++ " ...) is in no positive condition of its rule")
    | Some g =>
        match checked_number g with
        | Some i => Done i
        | None => Refused ("too many atoms can be derived: one of " ++ predicate a ++ " is not among those that were foreseen")
        end
    end.

  (** The number of an atom that must not hold; none if it is not known, since then it never holds. *)
  Definition excluded_in (b : binding) (a : atom) : result (list positive) :=
    match atom_value b a with
    | None => Refused ("a variable of (not (" ++ predicate a ++ " ...)) is in no positive condition of its rule")
    | Some g => Done (match checked_number g with Some i => [i] | None => [] end)
    end.

  Fixpoint all_different (b : binding) (pairs : list (term * term)) : result bool :=
    match pairs with
    | [] => Done true
    | (t, u) :: pairs =>
        match value_of b t, value_of b u with
        | Some g, Some h => if ground_eqb g h then Done false else all_different b pairs
        | _, _ => Refused "a variable of (distinct ...) is in no positive condition of its rule"
        end
    end.

  (** The instance of a clause; none if two terms are equal that must be different. *)
  Definition ground_instance (c : clause) (b : binding) : result (list ground_rule) :=
    fine <- all_different b (different c);
    if fine : bool then
      to <- number_in b (head c);
      ps <- collect (number_in b) (positives c);
      ns <- collect (excluded_in b) (negatives c);
      Done [GroundRule to ps (List.concat ns)]
    else Done [].

  Definition ground_clause (groups : candidates) (c : clause) : result (list ground_rule) :=
    instances <- collect (ground_instance c) (join groups (ordered c) []);
    Done (List.concat instances).

  (** Whether all atoms of a rule are early. *)
  Definition is_late (i : positive) : bool := PositiveSet.mem i late.
  Definition all_early (r : ground_rule) : bool :=
    forallb (fun i => negb (is_late i)) (conclude r :: given r ++ unless r).
End Grounding.

(** Whether the numbers suggested count the known atoms from [i] on. *)
Fixpoint numbered (s : suggestions) (i : positive) (l : list ground) : bool :=
  match l with
  | [] => true
  | g :: l => match number_of s g with Some j => Pos.eqb i j | None => false end && numbered s (Pos.succ i) l
  end.

Definition stratified_by (s : suggestions) (c : clause) : bool :=
  let own := stratum_of s (predicate (head c)) in
  Nat.ltb own (strata s) &&
  forallb (fun a => Nat.leb (stratum_of s (predicate a)) own) (positives c) &&
  forallb (fun a => Nat.ltb (stratum_of s (predicate a)) own) (negatives c).

(** The clauses of each stratum. *)
Definition by_strata (s : suggestions) (rules : program) : list program :=
  map (fun k => filter (fun c => Nat.eqb (stratum_of s (predicate (head c))) k) rules) (seq 0 (strata s)).

Definition recursive (s : suggestions) (rules : program) : bool :=
  existsb (fun c => existsb (fun a => Nat.eqb (stratum_of s (predicate a)) (stratum_of s (predicate (head c)))) (positives c)) rules.

Definition predicates_of (rules : program) : list name :=
  nodup string_dec (flat_map (fun c => map predicate (positives c)) rules).

Definition late_atoms (s : suggestions) : PositiveSet.t :=
  fold_left (fun set g => match number_of s g with
                          | Some i => if after_moves s (predicate_of g) then PositiveSet.add i set else set
                          | None => set
                          end) (known_atoms s) PositiveSet.empty.

(** All instances of rules that matter. *)
Definition ground_rules (s : suggestions) (rules : program) : result ground_program :=
  ensure collect (fun c => require (stratified_by s c)
         ("the rules are not stratified: see those of " ++ predicate (head c))) rules;
  let atoms := table 1 (known_atoms s) in
  let late := late_atoms s in
  ensure require (numbered s 1 (known_atoms s)) "the numbers of atoms are wrong";
  let groups := map (fun p => (p, indexed s (with_predicate s p))) (predicates_of rules) in
  all <- collect (fun clauses =>
           instances <- collect (ground_clause s atoms groups) clauses;
           Done (recursive s clauses, List.concat instances)) (by_strata s rules);
  let keep test := map (fun g : group => (fst g, filter test (snd g))) all in
  let before := keep (fun r => negb (is_late late (conclude r))) in
  let after := keep (fun r => is_late late (conclude r)) in
  ensure require (forallb (fun g : group => forallb (all_early late) (snd g)) before)
    "the predicates that depend on moves are wrong";
  Done (GroundProgram atoms (checked_number s atoms) before after late (S (List.length (flat_map snd all)))).

(** ** Evaluation *)

(** The atoms derived so far, and the negative conditions that were used. *)
Record derived := Derived { known : PositiveSet.t; assumed : list (list positive) }.

Definition has (set : PositiveSet.t) (i : positive) : bool := PositiveSet.mem i set.

Definition applies (set : PositiveSet.t) (r : ground_rule) : bool :=
  forallb (has set) (given r) && forallb (fun i => negb (has set i)) (unless r).

Definition apply_rule (d : derived) (r : ground_rule) : derived :=
  if has (known d) (conclude r) then d
  else if applies (known d) r then
    Derived (PositiveSet.add (conclude r) (known d))
            (match unless r with [] => assumed d | l => l :: assumed d end)
  else d.

Definition closed (rules : list ground_rule) (set : PositiveSet.t) : bool :=
  forallb (fun r => has set (conclude r) || negb (applies set r)) rules.

Definition apply_all (rules : list ground_rule) (d : derived) : derived := fold_left apply_rule rules d.

(** Applies rules until nothing more follows, or the passes are used up. *)
Fixpoint repeat_rules (passes : nat) (rules : list ground_rule) (d : derived) : derived :=
  let d := apply_all rules d in
  match passes with
  | O => d
  | S passes => if closed rules (known d) then d else repeat_rules passes rules d
  end.

Definition apply_group (passes : nat) (d : derived) (g : group) : derived :=
  if fst g then repeat_rules passes (snd g) d else apply_all (snd g) d.

(** Applies the rules of one stratum after the other. *)
Definition saturate (passes : nat) (groups : list group) (d : derived) : option derived :=
  let d := fold_left (apply_group passes) groups d in
  if forallb (fun g : group => closed (snd g) (known d)) groups then Some d else None.

Definition add_facts (facts : list positive) (d : derived) : derived :=
  Derived (fold_left (fun set i => PositiveSet.add i set) facts (known d)) (assumed d).

(** The atoms that follow from facts, by the rules that do not depend on moves. *)
Definition evaluate_before (p : ground_program) (facts : list positive) : option derived :=
  saturate (passes p) (before_rules p) (add_facts facts (Derived PositiveSet.empty [])).

(** The model, from these atoms and facts about moves. *)
Definition evaluate_after (p : ground_program) (d : derived) (facts : list positive) : option PositiveSet.t :=
  if forallb (is_late (late p)) facts then
    match saturate (passes p) (after_rules p) (add_facts facts d) with
    | Some d => if forallb (forallb (fun i => negb (has (known d) i))) (assumed d) then Some (known d) else None
    | None => None
    end
  else None.

(** ** Proofs: the ground program has all instances that matter, and nothing else *)

Lemma table_find s l : forall k i g, numbered s k l = true -> PositiveMap.find i (table k l) = Some g ->
  In g l /\ number_of s g = Some i.
Proof.
  induction l as [|h l IH]; intros k i g; simpl.
  - intros _. rewrite PositiveMap.gempty. discriminate.
  - rewrite andb_true_iff. intros [Hh Hl]. destruct (Pos.eq_dec i k) as [->|Hik].
    + rewrite PositiveMap.gss. intros [= ->]. destruct (number_of s g) as [j|]; [|discriminate].
      apply Pos.eqb_eq in Hh as <-. auto.
    + rewrite PositiveMap.gso by assumption. intros Hf. destruct (IH _ _ _ Hl Hf). auto.
Qed.

Lemma checked_number_sound s atoms g i : checked_number s atoms g = Some i -> PositiveMap.find i atoms = Some g.
Proof.
  unfold checked_number. destruct (number_of s g) as [j|]; [|discriminate].
  destruct (PositiveMap.find j atoms) as [h|] eqn:E; [|discriminate].
  destruct (ground_eqb g h) eqn:Eg; [|discriminate]. apply ground_eqb_spec in Eg as <-. intros [= <-]. assumption.
Qed.

Lemma candidates_for_all s names p :
  candidates_for s (map (fun p => (p, indexed s (with_predicate s p))) names) p = indexed s (with_predicate s p).
Proof.
  induction names as [|q names IH]; simpl; [reflexivity|].
  destruct (String.eqb_spec p q) as [->|_]; auto.
Qed.

Lemma index_by_complete s place l gs g : In gs l -> nth_error gs place = Some g ->
  In gs (at_key (key_of s g) (index_by s place l)).
Proof.
  induction l as [|hs l IH]; simpl; intros Hin Hg; [destruct Hin|].
  destruct (nth_error hs place) as [h|] eqn:Eh.
  - unfold at_key at 1. destruct (Pos.eq_dec (key_of s g) (key_of s h)) as [Hk|Hk].
    + rewrite Hk, PositiveMap.gss. destruct Hin as [->|Hin]; [left; reflexivity|right]. rewrite <- Hk. auto.
    + rewrite PositiveMap.gso by assumption. destruct Hin as [->|Hin]; [congruence|]. apply IH; assumption.
  - destruct Hin as [->|Hin]; [congruence|auto].
Qed.

Lemma narrow_complete s b sub l gs : consistent b sub -> In gs l ->
  forall n k ts best, (forall j t, nth_error ts j = Some t -> nth_error gs (k + j) = Some (instance sub t)) ->
  In gs best -> In gs (narrow s b ts (map (fun place => index_by s place l) (seq k n)) best).
Proof.
  intros Hb Hl. induction n as [|n IH]; intros k ts best Hts Hbest; destruct ts as [|t ts]; simpl; try assumption.
  apply IH.
  - intros j u Hj. replace (S k + j) with (k + S j) by lia. apply Hts, Hj.
  - destruct (value_of b t) as [g|] eqn:Eg; [|assumption]. destruct (is_shorter _ best); [|assumption].
    apply index_by_complete; [assumption|]. apply (value_of_sound sub) in Eg; [|assumption]. subst g.
    rewrite <- (Hts 0 t eq_refl). f_equal. lia.
Qed.

Lemma with_predicate_complete s f gs : In (Ground f gs) (known_atoms s) -> In gs (with_predicate s f).
Proof.
  intros H. apply in_flat_map. exists (Ground f gs). split; [assumption|]. rewrite String.eqb_refl. left. reflexivity.
Qed.

Lemma join_complete s atoms groups sub :
  (forall p, candidates_for s groups p = indexed s (with_predicate s p)) ->
  forall conditions b, consistent b sub ->
  (forall a, In a conditions -> In (atom_instance sub a) (known_atoms s) /\
                                exists i, checked_number s atoms (atom_instance sub a) = Some i) ->
  exists b', In b' (join s atoms groups conditions b) /\ consistent b' sub.
Proof.
  intros Hg. induction conditions as [|a conditions IH]; intros b Hb Hk; simpl; [eauto|].
  destruct (Hk a (or_introl eq_refl)) as [Ha (i & Hi)].
  assert (Hk' : forall c, In c conditions -> In (atom_instance sub c) (known_atoms s) /\
                                             exists i, checked_number s atoms (atom_instance sub c) = Some i)
    by (intros; apply Hk; right; assumption).
  destruct (atom_value b a) as [g|] eqn:Eg.
  - apply (atom_value_sound sub) in Eg; [|assumption]. rewrite <- Eg, Hi. apply IH; assumption.
  - destruct (matching_all_complete sub (arguments a) b Hb) as (b1 & Hm & Hb1).
    destruct (IH b1 Hb1 Hk') as (b2 & Hin & Hb2).
    exists b2. split; [|assumption]. rewrite Hg. unfold indexed. apply in_flat_map.
    exists (map (instance sub) (arguments a)). apply with_predicate_complete in Ha.
    split; [|rewrite Hm; assumption]. apply (narrow_complete s b sub); auto.
    intros j t Hj. apply map_nth_error, Hj.
Qed.

Lemma ordered_in s c a : In a (ordered s c) -> In a (positives c).
Proof.
  unfold ordered. rewrite in_flat_map. intros (i & _ & H). destruct (nth_error (positives c) i) eqn:E; [|destruct H].
  destruct H as [<-|[]]. eapply nth_error_In, E.
Qed.

Definition differ (s : substitution) (c : clause) : Prop :=
  forall t u, In (t, u) (different c) -> instance s t <> instance s u.

Lemma all_different_sound b s pairs fine : consistent b s -> all_different b pairs = Done fine ->
  (fine = true <-> forall t u, In (t, u) pairs -> instance s t <> instance s u).
Proof.
  intros Hb. induction pairs as [|[t u] pairs IH]; simpl.
  - intros [= <-]. split; [intros _ t u []|reflexivity].
  - destruct (value_of b t) as [g|] eqn:Et; [|discriminate].
    destruct (value_of b u) as [h|] eqn:Eu; [|discriminate].
    apply (value_of_sound s) in Et; [|assumption]. apply (value_of_sound s) in Eu; [|assumption].
    destruct (ground_eqb g h) eqn:E; intros H.
    + injection H as <-. split; [discriminate|]. intros H. exfalso.
      apply (H t u); [left; reflexivity|]. apply ground_eqb_spec in E. congruence.
    + rewrite (IH H). split; intros Hd.
      * intros x y [[= <- <-]|Hin]; [|apply Hd, Hin]. intros Heq.
        assert (ground_eqb g h = true) by (apply ground_eqb_spec; congruence). congruence.
      * intros x y Hin. apply Hd. right. assumption.
Qed.

Section Ground.
  Variable s : suggestions.
  Variable rules : program.
  Variable p : ground_program.
  Hypothesis Hground : ground_rules s rules = Done p.

  Definition all_rules : list ground_rule := flat_map snd (before_rules p ++ after_rules p).

  (** A rule over numbers is an instance of a clause. *)
  Definition instance_of (c : clause) (sub : substitution) (r : ground_rule) : Prop :=
    number p (atom_instance sub (head c)) = Some (conclude r) /\
    Forall2 (fun a i => number p (atom_instance sub a) = Some i) (positives c) (given r) /\
    (forall i, In i (unless r) <-> exists a, In a (negatives c) /\ number p (atom_instance sub a) = Some i).

  Lemma number_iff i g : number p g = Some i <-> atom_at p i = Some g.
  Proof.
    unfold ground_rules in Hground. steps_of Hground. subst p. unfold atom_at. simpl.
    split; [apply checked_number_sound|]. intros H. unfold checked_number.
    destruct (table_find _ _ _ _ _ E0 H) as [_ ->]. rewrite H, ground_eqb_refl. reflexivity.
  Qed.

  Lemma known_numbers i g : number p g = Some i -> In g (known_atoms s).
  Proof.
    rewrite number_iff. unfold ground_rules in Hground. steps_of Hground. subst p.
    unfold atom_at. simpl. intros H. apply (table_find _ _ _ _ _ E0 H).
  Qed.

  Lemma rules_stratified : stratified rules.
  Proof.
    unfold ground_rules in Hground. apply bind_done in Hground as (u & E & _).
    apply collect_done in E. exists (stratum_of s). intros c Hc.
    destruct (Forall2_left _ _ _ _ E Hc) as (v & _ & Hv). apply require_done in Hv.
    unfold stratified_by in Hv. rewrite !andb_true_iff, !forallb_forall in Hv. destruct Hv as [[_ Hp] Hn].
    split; intros a Ha; [apply Nat.leb_le, Hp, Ha|apply Nat.ltb_lt, Hn, Ha].
  Qed.

  Lemma in_strata c : (exists cs, In cs (by_strata s rules) /\ In c cs) <-> In c rules.
  Proof.
    unfold by_strata. split.
    - intros (cs & Hcs & H). apply in_map_iff in Hcs as (k & <- & _). apply filter_In in H. apply H.
    - intros Hc. exists (filter (fun d => Nat.eqb (stratum_of s (predicate (head d))) (stratum_of s (predicate (head c)))) rules).
      split; [apply in_map_iff; exists (stratum_of s (predicate (head c))); split; [reflexivity|]|].
      + unfold ground_rules in Hground. apply bind_done in Hground as (u & E & _). apply collect_done in E.
        destruct (Forall2_left _ _ _ _ E Hc) as (v & _ & Hv). apply require_done in Hv.
        unfold stratified_by in Hv. rewrite !andb_true_iff in Hv. destruct Hv as [[Hv _] _].
        apply Nat.ltb_lt in Hv. apply in_seq. lia.
      + apply filter_In. split; [assumption|]. apply Nat.eqb_refl.
  Qed.

  (** The ground rules are the instances of clauses by the bindings that [join] finds. *)
  Lemma all_rules_iff r : In r all_rules <->
    exists c b rs, In c rules /\
      In b (join s (atom_table p) (map (fun p => (p, indexed s (with_predicate s p))) (predicates_of rules)) (ordered s c) []) /\
      ground_instance s (atom_table p) c b = Done rs /\ In r rs.
  Proof.
    unfold all_rules. pose proof in_strata as Hstrata. unfold ground_rules in Hground. steps_of Hground.
    subst p. simpl. apply collect_done in E1. rewrite in_flat_map.
    transitivity (exists g, In g r2 /\ In r (snd g)).
    { split.
      - intros (g & Hg & Hr). apply in_app_iff in Hg as [Hg|Hg]; apply in_map_iff in Hg as (g' & <- & Hg);
          simpl in Hr; apply filter_In in Hr as [Hr _]; exists g'; auto.
      - intros (g & Hg & Hr). destruct (is_late (late_atoms s) (conclude r)) eqn:El.
        + exists (fst g, filter (fun r => is_late (late_atoms s) (conclude r)) (snd g)). split.
          * apply in_app_iff. right. apply in_map_iff. exists g. auto.
          * apply filter_In. auto.
        + exists (fst g, filter (fun r => negb (is_late (late_atoms s) (conclude r))) (snd g)). split.
          * apply in_app_iff. left. apply in_map_iff. exists g. auto.
          * apply filter_In. rewrite El. auto. }
    split.
    - intros (g & Hg & Hr). destruct (Forall2_right _ _ _ _ E1 Hg) as (cs & Hcs & E3). apply bind_done in E3 as (is & E4 & [= <-]).
      apply collect_done in E4. simpl in Hr. apply in_concat in Hr as (rs & Hrs & Hr).
      destruct (Forall2_right _ _ _ _ E4 Hrs) as (c & Hc & E5).
      unfold ground_clause in E5. apply bind_done in E5 as (rss & E6 & [= <-]). apply collect_done in E6.
      apply in_concat in Hr as (rs & Hrs' & Hr). destruct (Forall2_right _ _ _ _ E6 Hrs') as (b & Hb & E7).
      exists c, b, rs. split; [apply Hstrata; eauto|]. auto.
    - intros (c & b & rs & Hc & Hb & E3 & Hr). apply Hstrata in Hc as (cs & Hcs & Hc).
      destruct (Forall2_left _ _ _ _ E1 Hcs) as (g & Hg & E4). exists g. split; [assumption|].
      apply bind_done in E4 as (is & E5 & [= <-]). apply collect_done in E5. destruct (Forall2_left _ _ _ _ E5 Hc) as (rss & Hrss & E6).
      simpl. apply in_concat. exists rss. split; [assumption|].
      unfold ground_clause in E6. apply bind_done in E6 as (rs' & E7 & [= <-]). apply collect_done in E7.
      destruct (Forall2_left _ _ _ _ E7 Hb) as (rs2 & Hrs' & E8). apply in_concat. exists rs2.
      split; [assumption|]. congruence.
  Qed.

  Lemma number_in_sound b sub a i : consistent b sub ->
    number_in s (atom_table p) b a = Done i -> number p (atom_instance sub a) = Some i.
  Proof.
    intros Hb. unfold number_in. destruct (atom_value b a) as [g|] eqn:Eg; [|discriminate].
    apply (atom_value_sound sub) in Eg; [|assumption].
    destruct (checked_number s (atom_table p) g) as [j|] eqn:Ej; [|discriminate].
    intros [= <-]. rewrite Eg, number_iff. apply checked_number_sound in Ej. exact Ej.
  Qed.

  Lemma excluded_in_sound b sub a l : consistent b sub ->
    excluded_in s (atom_table p) b a = Done l -> forall i, In i l <-> number p (atom_instance sub a) = Some i.
  Proof.
    intros Hb. unfold excluded_in. destruct (atom_value b a) as [g|] eqn:Eg; [|discriminate].
    apply (atom_value_sound sub) in Eg; [|assumption]. intros [= <-] i. rewrite Eg.
    destruct (checked_number s (atom_table p) g) as [j|] eqn:Ej; simpl.
    - apply checked_number_sound in Ej. rewrite number_iff. split.
      + intros [<-|[]]. exact Ej.
      + intros H. left. pose proof (proj2 (number_iff j g) Ej) as H1. pose proof (proj2 (number_iff i g) H) as H2. congruence.
    - split; [intros []|]. rewrite number_iff. intros H. apply number_iff in H.
      unfold ground_rules in Hground. steps_of Hground. subst p. simpl in *. congruence.
  Qed.

  Lemma ground_instance_sound c b sub rs r : consistent b sub ->
    ground_instance s (atom_table p) c b = Done rs -> In r rs -> instance_of c sub r /\ differ sub c.
  Proof.
    intros Hb H Hr. unfold ground_instance in H. apply bind_done in H as (fine & Ef & H).
    destruct fine; [|injection H as <-; destruct Hr]. steps_of H. subst rs. destruct Hr as [<-|[]]. split.
    - split; [|split]; simpl.
      + eapply number_in_sound; eassumption.
      + apply collect_done in E0. eapply Forall2_implies; [|exact E0]. intros; eapply number_in_sound; eassumption.
      + apply collect_done in E1. intros i. rewrite in_concat. split.
        * intros (l & Hl & Hi). destruct (Forall2_right _ _ _ _ E1 Hl) as (a & Ha & E2). exists a.
          split; [assumption|]. apply (excluded_in_sound b sub a l Hb E2), Hi.
        * intros (a & Ha & Hi). destruct (Forall2_left _ _ _ _ E1 Ha) as (l & Hl & E2). exists l.
          split; [assumption|]. apply (excluded_in_sound b sub a l Hb E2), Hi.
    - apply (all_different_sound b sub) in Ef; [|assumption]. destruct Ef as [Ef _]. exact (Ef eq_refl).
  Qed.

  Lemma all_rules_sound r : In r all_rules -> exists c sub, In c rules /\ instance_of c sub r /\ differ sub c.
  Proof.
    rewrite all_rules_iff. intros (c & b & rs & Hc & _ & E & Hr). exists c, (substitution_of b).
    split; [assumption|]. eapply ground_instance_sound; eauto using consistent_with_itself.
  Qed.

  Lemma all_rules_complete c sub : In c rules -> differ sub c ->
    (forall a, In a (positives c) -> exists i, number p (atom_instance sub a) = Some i) ->
    exists r, In r all_rules /\ instance_of c sub r.
  Proof.
    intros Hc Hd Hp.
    destruct (join_complete s (atom_table p) (map (fun p => (p, indexed s (with_predicate s p))) (predicates_of rules)) sub
                (candidates_for_all s _) (ordered s c) []) as (b & Hb & Hcons).
    { intros x g. discriminate. }
    { intros a Ha. apply ordered_in in Ha. destruct (Hp a Ha) as (i & Hi). split; [apply (known_numbers i _ Hi)|].
      exists i. clear Hp. unfold ground_rules in Hground. steps_of Hground. subst p. exact Hi. }
    assert (exists rs, ground_instance s (atom_table p) c b = Done rs) as (rs & E).
    { clear Hp. pose proof (proj2 (in_strata c) Hc) as (cs & Hcs & Hin).
      unfold ground_rules in Hground. steps_of Hground. subst p. simpl. apply collect_done in E1.
      destruct (Forall2_left _ _ _ _ E1 Hcs) as (g & _ & E3). apply bind_done in E3 as (is & E4 & _). apply collect_done in E4.
      destruct (Forall2_left _ _ _ _ E4 Hin) as (rss & _ & E5). unfold ground_clause in E5. apply bind_done in E5 as (is' & E6 & _).
      apply collect_done in E6. destruct (Forall2_left _ _ _ _ E6 Hb) as (rs & _ & E7). exists rs. exact E7. }
    assert (Hr : exists r, In r rs).
    { pose proof E as E'. unfold ground_instance in E'. apply bind_done in E' as (fine & Ef & E').
      apply (all_different_sound b sub) in Ef; [|assumption]. destruct Ef as [_ Ef].
      rewrite (Ef Hd) in E'. steps_of E'. subst rs. eexists. left. reflexivity. }
    destruct Hr as (r & Hr). exists r. split.
    - apply all_rules_iff. eauto 8.
    - eapply ground_instance_sound; eassumption.
  Qed.

  Lemma split_rules :
    (forall r i, In r (flat_map snd (before_rules p)) -> (i = conclude r \/ In i (given r) \/ In i (unless r)) -> is_late (late p) i = false) /\
    (forall r, In r (flat_map snd (after_rules p)) -> is_late (late p) (conclude r) = true).
  Proof.
    unfold ground_rules in Hground. steps_of Hground. subst p. simpl. split.
    - intros x i Hx Hi. rewrite forallb_forall in E2. apply in_flat_map in Hx as (g & Hg & Hx).
      apply E2 in Hg. rewrite forallb_forall in Hg. apply Hg in Hx. unfold all_early in Hx.
      rewrite forallb_forall in Hx. apply negb_true_iff, Hx. simpl. rewrite in_app_iff. intuition.
    - intros x Hx. apply in_flat_map in Hx as (g & Hg & Hx). apply in_map_iff in Hg as (g' & <- & _).
      apply filter_In in Hx. apply Hx.
  Qed.
End Ground.

(** ** Proofs: the evaluation finds the standard model *)

(** The atoms whose numbers are in a list, and in a set. *)
Definition atoms_of (p : ground_program) (l : list positive) : atoms := fun a =>
  exists i, In i l /\ atom_at p i = Some a.

Definition holds (p : ground_program) (set : PositiveSet.t) : atoms := fun a =>
  exists i, atom_at p i = Some a /\ has set i = true.

Lemma has_add i j set : has (PositiveSet.add i set) j = true <-> j = i \/ has set j = true.
Proof. unfold has. rewrite !PositiveSet.mem_spec. apply PositiveSet.add_spec. Qed.

Lemma has_add_facts facts d j : has (known (add_facts facts d)) j = true <-> In j facts \/ has (known d) j = true.
Proof.
  unfold add_facts. simpl. revert d. induction facts as [|i facts IH]; intros d; simpl.
  - intuition.
  - specialize (IH (Derived (PositiveSet.add i (known d)) [])). simpl in IH. rewrite IH, has_add. intuition.
Qed.

Lemma saturate_closed n groups d d' : saturate n groups d = Some d' -> closed (flat_map snd groups) (known d') = true.
Proof.
  unfold saturate. match goal with |- context [if ?e then _ else _] => destruct e eqn:E end; [|discriminate]. intros [= <-]. unfold closed in *.
  rewrite forallb_forall in *. intros r Hr. apply in_flat_map in Hr as (g & Hg & Hr).
  specialize (E g Hg). rewrite forallb_forall in E. auto.
Qed.

(** What each application of a rule keeps, saturation keeps. *)
Lemma saturate_invariant (I : derived -> Prop) groups :
  (forall r d, In r (flat_map snd groups) -> I d -> I (apply_rule d r)) ->
  forall n d d', I d -> saturate n groups d = Some d' -> I d'.
Proof.
  intros H n.
  assert (Hall : forall rules, (forall r d, In r rules -> I d -> I (apply_rule d r)) -> forall d, I d -> I (apply_all rules d)).
  { clear. induction rules as [|r rules IH]; intros H d Hd; [assumption|].
    apply (IH (fun r d Hr => H r d (or_intror Hr))). apply H; [left; reflexivity|assumption]. }
  assert (Hgroup : forall g, In g groups -> forall d, I d -> I (apply_group n d g)).
  { intros g Hg. assert (Hr : forall r d, In r (snd g) -> I d -> I (apply_rule d r)).
    { intros r d Hr. apply H, in_flat_map. eauto. }
    unfold apply_group. destruct (fst g); [|apply Hall, Hr].
    intros d Hd. revert d Hd. induction n as [|k IH]; intros d Hd; simpl; [apply Hall; assumption|].
    destruct (closed _ _); [apply Hall; assumption|]. apply IH, Hall; assumption. }
  intros d d' Hd. unfold saturate. match goal with |- context [if ?e then _ else _] => destruct e end; [|discriminate]. intros [= <-].
  clear H Hall. revert d Hd. induction groups as [|g l IH]; intros d Hd; [assumption|].
  apply (IH (fun g Hg => Hgroup g (or_intror Hg))). apply Hgroup; [left; reflexivity|assumption].
Qed.

Section Evaluation.
  Variable s : suggestions.
  Variable rules : program.
  Variable p : ground_program.
  Hypothesis Hground : ground_rules s rules = Done p.

  (** All known atoms can be derived, if the negative conditions that were used hold. *)
  Definition justified (facts : atoms) (d : derived) : Prop :=
    forall set : atoms,
      (forall a, set a -> exists i, atom_at p i = Some a) ->
      (forall l i a, In l (assumed d) -> In i l -> atom_at p i = Some a -> ~ set a) ->
      forall i a, has (known d) i = true -> atom_at p i = Some a -> derivable rules facts set a.

  Lemma apply_rule_justified facts r d : In r (all_rules p) -> justified facts d -> justified facts (apply_rule d r).
  Proof.
    intros Hr Hd. unfold apply_rule. destruct (has (known d) (conclude r)); [assumption|].
    destruct (applies (known d) r) eqn:Ha; [|assumption].
    unfold applies in Ha. rewrite andb_true_iff, !forallb_forall in Ha. destruct Ha as [Hp _].
    intros set Hknown Hset i a. simpl in *. rewrite has_add.
    assert (Hold : forall l i a, In l (assumed d) -> In i l -> atom_at p i = Some a -> ~ set a).
    { intros l j b Hl. apply Hset. destruct (unless r); [|right]; assumption. }
    intros [->|Hi] Hat; [|eapply Hd; eassumption].
    destruct (all_rules_sound s rules p Hground r Hr) as (c & sub & Hc & (Hh & Hgiven & Hunless) & Hdiff).
    rewrite (number_iff s rules p Hground) in Hh. rewrite Hat in Hh. injection Hh as ->.
    apply derivable_rule; try assumption.
    - intros b Hb. destruct (Forall2_left _ _ _ _ Hgiven Hb) as (j & Hj & Hn).
      eapply Hd; [exact Hknown|exact Hold|apply Hp, Hj|]. apply (number_iff s rules p Hground), Hn.
    - intros b Hb Hset'. destruct (Hknown _ Hset') as (j & Hj).
      assert (Hin : In j (unless r)).
      { apply Hunless. exists b. split; [assumption|]. apply (number_iff s rules p Hground), Hj. }
      refine (Hset (unless r) j _ _ Hin Hj Hset'). destruct (unless r); [destruct Hin|left; reflexivity].
  Qed.

  Lemma closed_under (facts : atoms) set :
    closed (all_rules p) set = true ->
    (forall a, facts a -> holds p set a) ->
    forall a, derivable rules facts (holds p set) a -> holds p set a.
  Proof.
    intros Hclosed Hfacts a H. induction H as [a Ha|c sub Hc _ Hp Hn Hd]; [auto|].
    destruct (all_rules_complete s rules p Hground c sub Hc Hd) as (r & Hr & (Hh & Hgiven & Hunless)).
    { intros b Hb. destruct (Hp b Hb) as (i & Hi & _). exists i. apply (number_iff s rules p Hground), Hi. }
    unfold closed in Hclosed. rewrite forallb_forall in Hclosed. specialize (Hclosed r Hr).
    exists (conclude r). split; [apply (number_iff s rules p Hground), Hh|].
    apply orb_true_iff in Hclosed as [Hclosed|Happlies]; [assumption|]. exfalso.
    apply negb_true_iff in Happlies. apply not_true_iff_false in Happlies. apply Happlies.
    unfold applies. rewrite andb_true_iff, !forallb_forall. split.
    - intros i Hi. destruct (Forall2_right _ _ _ _ Hgiven Hi) as (b & Hb & Hnum).
      destruct (Hp b Hb) as (j & Hj & Hhas). apply (number_iff s rules p Hground) in Hj. congruence.
    - intros i Hi. apply Hunless in Hi as (b & Hb & Hnum).
      apply negb_true_iff, not_true_iff_false. intros Hhas. apply (Hn b Hb). exists i.
      split; [apply (number_iff s rules p Hground), Hnum|assumption].
  Qed.

  Theorem evaluate_is_model before after d set :
    evaluate_before p before = Some d -> evaluate_after p d after = Some set ->
    forall a, holds p set a <-> model rules (fun a => atoms_of p before a \/ atoms_of p after a) a.
  Proof.
    unfold evaluate_before, evaluate_after. intros Hbefore Hafter.
    destruct (forallb (is_late (late p)) after) eqn:Hlate; [|discriminate]. rewrite forallb_forall in Hlate.
    destruct (saturate (passes p) (after_rules p) (add_facts after d)) as [d'|] eqn:Esat; [|discriminate].
    destruct (forallb _ (assumed d')) eqn:Hassumed; [|discriminate]. injection Hafter as <-.
    set (facts := fun a => atoms_of p before a \/ atoms_of p after a).
    destruct (split_rules s rules p Hground) as [Hearly Hlater].
    apply stable_is_model; [eapply rules_stratified; eassumption|].
    (* Saturation keeps what is known, and after moves it adds late atoms only. *)
    assert (Hkeep : forall i n rs d d', has (known d) i = true -> saturate n rs d = Some d' -> has (known d') i = true).
    { intros i n rs d1 d2 H. apply (saturate_invariant (fun d => has (known d) i = true)); [|assumption].
      intros r d3 _ H3. unfold apply_rule. destruct (has (known d3) (conclude r)); [assumption|].
      destruct (applies (known d3) r); [|assumption]. apply has_add. auto. }
    assert (Hsame : forall i, is_late (late p) i = false -> has (known d') i = has (known d) i).
    { intros i Hi. apply Bool.eq_iff_eq_true. split.
      - revert Esat. apply (saturate_invariant (fun d' => has (known d') i = true -> has (known d) i = true)).
        + intros r d3 Hr H3. unfold apply_rule. destruct (has (known d3) (conclude r)); [assumption|].
          destruct (applies (known d3) r); [|assumption]. simpl. rewrite has_add. intros [->|H]; [|auto].
          rewrite (Hlater r Hr) in Hi. discriminate.
        + rewrite has_add_facts. intros [H|H]; [|assumption]. rewrite (Hlate i H) in Hi. discriminate.
      - intros H. eapply Hkeep; [|exact Esat]. apply has_add_facts. auto. }
    assert (Hfacts : forall a, facts a -> holds p (known d') a).
    { intros a [(i & Hi & Ha)|(i & Hi & Ha)]; exists i; (split; [assumption|]); eapply Hkeep; try exact Esat;
        apply has_add_facts; auto. right. eapply Hkeep; [|exact Hbefore]. apply has_add_facts. auto. }
    assert (Hclosed : closed (all_rules p) (known d') = true).
    { unfold all_rules, closed. rewrite flat_map_app, forallb_app, andb_true_iff. split.
      - pose proof (saturate_closed _ _ _ _ Hbefore) as H. unfold closed in H.
        rewrite forallb_forall in *. intros r Hr. specialize (H r Hr).
        rewrite Hsame by (apply (Hearly r); auto). replace (applies (known d') r) with (applies (known d) r); [assumption|].
        unfold applies. f_equal; apply forallb_equal; intros i Hi; rewrite Hsame; auto; apply (Hearly r); auto.
      - apply saturate_closed in Esat. exact Esat. }
    intros a. split.
    - intros (i & Hat & Hi).
      assert (Hj : justified facts d').
      { eapply saturate_invariant; [|shelve|exact Esat].
        intros r d3 Hr. apply apply_rule_justified. unfold all_rules. rewrite flat_map_app. apply in_or_app. right. assumption.
        Unshelve.
        assert (Hj : justified facts d).
        { eapply saturate_invariant; [|shelve|exact Hbefore].
          intros r d3 Hr. apply apply_rule_justified. unfold all_rules. rewrite flat_map_app. apply in_or_app. left. assumption.
          Unshelve.
          intros set _ _ j b. rewrite has_add_facts. intros [H|H] Hb.
          - apply derivable_fact. left. exists j. auto.
          - discriminate H. }
        intros set Hknown Hset j b. rewrite has_add_facts. intros [H|H] Hb.
        - apply derivable_fact. right. exists j. auto.
        - eapply Hj; eassumption. }
      apply (Hj (holds p (known d'))) with (i := i); [intros b (j & Hb & _); eauto| |assumption|assumption].
      rewrite forallb_forall in Hassumed. intros l j b Hl Hjl Hb (k & Hk & Hhas).
      specialize (Hassumed l Hl). rewrite forallb_forall in Hassumed. specialize (Hassumed j Hjl).
      apply (number_iff s rules p Hground) in Hb, Hk. rewrite Hb in Hk. injection Hk as ->.
      rewrite Hhas in Hassumed. discriminate.
    - apply closed_under; assumption.
  Qed.
End Evaluation.
