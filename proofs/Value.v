(** * The value of a game within n steps

    Definition 1 of He and Thielscher, "An ASP-based approach to solving general stochastic two-player games"
    (arXiv:2605.23705): the maximum over the role's moves of the minimum over the joint replies of its
    opponents of the mean over the moves of random. *)

Require Export Game.
From Coq Require Export QArith.
Open Scope Q_scope.

(** ** Questions *)

Inductive objective : Type :=
| Win                      (** the probability of a goal of 100 *)
| AtLeast (points : N)     (** the probability of a goal of at least so many points *)
| Points                   (** the mean of the goal *)
| Score.                   (** the mean of goal/100 *)

Record question := Question {
  who : ground;                      (** the role that the value is for *)
  aim : objective;
  start : option (list ground);      (** the facts of the state that play starts from; [None]: the initial state *)
  steps : nat
}.

Definition start_state (rules : program) (q : question) : state :=
  match start q with
  | None => initial rules
  | Some facts => fun f => In f facts
  end.

(** Whole numbers from 0 on, in decimal digits. *)
Definition digit (c : Ascii.ascii) : option N :=
  let n := Ascii.N_of_ascii c in
  if ((48 <=? n) && (n <=? 57))%N then Some (n - 48)%N else None.

Definition points_of (g : ground) : option N :=
  match g with
  | Ground text [] =>
      match list_ascii_of_string text with
      | [] => None
      | digits =>
          fold_left (fun n c => match n, digit c with
                                | Some n, Some d => Some (10 * n + d)%N
                                | _, _ => None
                                end) digits (Some 0%N)
      end
  | _ => None
  end.

(** ** Maximum, minimum and mean *)

(** [moves] are the elements of a set, each of them once. *)
Definition elements (set : ground -> Prop) (moves : list ground) : Prop :=
  NoDup moves /\ forall m, In m moves <-> set m.

Definition sum (values : list Q) : Q := fold_right Qplus 0 values.

(** [v] is the mean of values of the elements of a set that is finite and not empty. [f m w]: the
    element [m] may be counted with the value [w]. *)
Definition mean (set : ground -> Prop) (f : ground -> Q -> Prop) (v : Q) : Prop :=
  exists moves values,
    elements set moves /\ moves <> [] /\ Forall2 f moves values /\
    v == sum values / inject_Z (Z.of_nat (List.length moves)).

Definition maximum {A} (set : A -> Prop) (f : A -> Q -> Prop) (v : Q) : Prop :=
  (exists x, set x /\ f x v) /\ forall x, set x -> exists w, f x w /\ w <= v.

Definition minimum {A} (set : A -> Prop) (f : A -> Q -> Prop) (v : Q) : Prop :=
  (exists x, set x /\ f x v) /\ forall x, set x -> exists w, f x w /\ v <= w.

(** ** The value *)

Section Value.
  Variable rules : program.
  Variable q : question.

  Definition random : ground := Ground "random" [].

  (** [payoff s v]: the terminal state [s] is worth [v] to the role. *)
  Definition payoff (s : state) (v : Q) : Prop :=
    match aim q with
    | Win =>
        goal rules s (who q) (Ground "100" []) /\ v == 1 \/
        ~ goal rules s (who q) (Ground "100" []) /\ v == 0
    | AtLeast points =>
        let reached := exists g n, goal rules s (who q) g /\ points_of g = Some n /\ (points <= n)%N in
        reached /\ v == 1 \/ ~ reached /\ v == 0
    | Points =>
        exists g n, goal rules s (who q) g /\ (forall h, goal rules s (who q) h -> h = g) /\
                    points_of g = Some n /\ v == inject_Z (Z.of_N n)
    | Score =>
        exists g n, goal rules s (who q) g /\ (forall h, goal rules s (who q) h -> h = g) /\
                    points_of g = Some n /\ v == inject_Z (Z.of_N n) / 100
    end.

  (** The opponents are all roles but [who q] and random. A reply gives each of them a legal move. *)
  Definition opponent (r : ground) : Prop := role rules r /\ r <> who q /\ r <> random.

  Definition reply (s : state) (o : ground -> ground) : Prop :=
    forall r, opponent r -> legal rules s r (o r).

  (** The moves of random; one without meaning in games without random. *)
  Definition chance (s : state) (m : ground) : Prop :=
    role rules random /\ legal rules s random m \/ ~ role rules random /\ m = random.

  (** The role makes the move [a], its opponents reply [o], and random makes the move [m]. *)
  Definition joint (a : ground) (o : ground -> ground) (m : ground) : joint_move := fun r x =>
    r = who q /\ x = a \/
    r <> who q /\ r = random /\ x = m \/
    opponent r /\ x = o r.

  (** [definition_1 n s v]: the value of the state [s] within [n] steps is [v]. *)
  Fixpoint definition_1 (n : nat) (s : state) (v : Q) : Prop :=
    terminal rules s /\ payoff s v \/
    ~ terminal rules s /\
    match n with
    | O => v == 0
    | S n =>
        maximum (legal rules s (who q)) (fun a =>
          minimum (reply s) (fun o =>
            mean (chance s) (fun m =>
              definition_1 n (next_state rules s (joint a o m))))) v
    end.

  (** The two halves of the definition. They need no value of states that good play avoids, so they can be
      proved from strategies.

      [at_least n s v]: the role can guarantee [v], that is v <= max min mean: some move is
      so good that all replies leave it a mean of at least [v]. *)
  Fixpoint at_least (n : nat) (s : state) (v : Q) : Prop :=
    terminal rules s /\ (exists w, payoff s w /\ v <= w) \/
    ~ terminal rules s /\
    match n with
    | O => v <= 0
    | S n =>
        exists a, legal rules s (who q) a /\ (exists o, reply s o) /\
        forall o, reply s o -> exists w, v <= w /\
          mean (chance s) (fun m => at_least n (next_state rules s (joint a o m))) w
    end.

  (** [at_most n s v]: its opponents can keep it down to [v], that is max min mean <= v: each move has
      a reply that leaves it a mean of at most [v]. *)
  Fixpoint at_most (n : nat) (s : state) (v : Q) : Prop :=
    terminal rules s /\ (exists w, payoff s w /\ w <= v) \/
    ~ terminal rules s /\
    match n with
    | O => 0 <= v
    | S n =>
        (exists a, legal rules s (who q) a) /\
        forall a, legal rules s (who q) a -> exists o, reply s o /\ exists w, w <= v /\
          mean (chance s) (fun m => at_most n (next_state rules s (joint a o m))) w
    end.
End Value.

(** [value rules q v]: the rules are stratified, and [v] is the value that the question asks for: the role can
    guarantee it, and no more.

    [value_is_unique], [definition_1_gives_the_value] and [value_by_definition_1] below: there is no other such number, and
    where Definition 1 gives a value to the start (it does if in each state that can be reached each role has a
    legal move and finitely many of them, and at the end one number of points), it is this one. *)
Definition value (rules : program) (q : question) (v : Q) : Prop :=
  stratified rules /\
  at_least rules q (steps q) (start_state rules q) v /\
  at_most rules q (steps q) (start_state rules q) v.

(** Without a step limit the value is the limit of the values within n steps, which do not fall: no number of steps gives
    more, and some give as nearly as one likes. Play that never ends is worth nothing. *)
Definition endless_value (rules : program) (q : question) (v : Q) : Prop :=
  stratified rules /\
  (forall n, at_most rules q n (start_state rules q) v) /\
  (forall e, 0 < e -> exists n, at_least rules q n (start_state rules q) (v - e)).

(** ** Proofs: the value is unique, and that of Definition 1 *)

From Coq Require Import Permutation Lia Lqa.

Lemma mean_monotone (set : ground -> Prop) (f g : ground -> Q -> Prop) v :
  (forall m w, set m -> f m w -> g m w) -> mean set f v -> mean set g v.
Proof.
  intros H (ms & vs & [Hn Hm] & Hne & Hf & Hv).
  exists ms, vs. repeat split; try assumption; try (apply Hm; assumption).
  assert (Hin : forall m, In m ms -> set m) by (intros m; apply Hm).
  clear Hn Hm Hne Hv. induction Hf as [|m w ms vs Hw Hf IH]; constructor.
  - apply H; [apply Hin; left|]; auto.
  - apply IH. intros; apply Hin; right; assumption.
Qed.

Lemma sum_le ms us vs (f g : ground -> Q -> Prop) :
  (forall m u v, In m ms -> f m u -> g m v -> u <= v) ->
  Forall2 f ms us -> Forall2 g ms vs -> sum us <= sum vs.
Proof.
  intros H Hf; revert vs H. induction Hf as [|m u ms us Hu Hf IH]; intros vs H Hg; inversion Hg; subst; simpl.
  - apply Qle_refl.
  - apply Qplus_le_compat.
    + apply (H m); auto. left; reflexivity.
    + apply IH; auto. intros; apply (H m0); auto. right; assumption.
Qed.

Lemma sum_permutation us vs : Permutation us vs -> sum us == sum vs.
Proof.
  induction 1; simpl; try reflexivity.
  - rewrite IHPermutation. reflexivity.
  - ring.
  - etransitivity; eassumption.
Qed.

Lemma division_le u v n : u <= v -> u / inject_Z (Z.of_nat n) <= v / inject_Z (Z.of_nat n).
Proof.
  intros H. unfold Qdiv. apply Qmult_le_compat_r; [assumption|].
  destruct n as [|n]; [apply Qle_refl|]. apply Qlt_le_weak, Qinv_lt_0_compat.
  unfold Qlt, inject_Z; simpl; lia.
Qed.

Lemma mean_le (set : ground -> Prop) (f g : ground -> Q -> Prop) u v :
  (forall m x y, set m -> f m x -> g m y -> x <= y) -> mean set f u -> mean set g v -> u <= v.
Proof.
  intros H (ms & us & [Hn Hm] & _ & Hf & Hu) (ms' & vs & [Hn' Hm'] & _ & Hg & Hv).
  assert (Hp : Permutation ms ms').
  { apply NoDup_Permutation; auto. intros m. rewrite Hm, Hm'. reflexivity. }
  destruct (Permutation_Forall2 Hp Hf) as (us' & Hus & Hf').
  rewrite Hu, Hv, (Permutation_length Hp), (sum_permutation _ _ Hus).
  apply division_le, (sum_le ms' us' vs f g); auto.
  intros m x y Hin. apply H. apply Hm'; assumption.
Qed.

Section Uniqueness.
  Variable rules : program.
  Variable q : question.

  Lemma payoff_unique s v w : payoff rules q s v -> payoff rules q s w -> v == w.
  Proof.
    unfold payoff. destruct (aim q).
    - intuition; rewrite H2, H3; reflexivity.
    - intuition; rewrite H2, H3; reflexivity.
    - intros (g & n & Hg & Hu & Hn & Hv) (h & k & Hh & Hu' & Hk & Hw).
      specialize (Hu _ Hh); subst h. rewrite Hn in Hk; inversion Hk; subst. rewrite Hv, Hw. reflexivity.
    - intros (g & n & Hg & Hu & Hn & Hv) (h & k & Hh & Hu' & Hk & Hw).
      specialize (Hu _ Hh); subst h. rewrite Hn in Hk; inversion Hk; subst. rewrite Hv, Hw. reflexivity.
  Qed.

  Lemma halves n : forall s v w, at_least rules q n s v -> at_most rules q n s w -> v <= w.
  Proof.
    induction n as [|n IH]; intros s v w; simpl.
    - intros [(T & x & Hx & Hv)|[T Hv]] [(T' & y & Hy & Hw)|[T' Hw]]; try contradiction.
      + apply (Qle_trans _ x); [assumption|]. rewrite (payoff_unique _ _ _ Hx Hy). assumption.
      + apply (Qle_trans _ 0); assumption.
    - intros [(T & x & Hx & Hv)|[T (a & Ha & _ & Hv)]] [(T' & y & Hy & Hw)|[T' [_ Hw]]]; try contradiction.
      + apply (Qle_trans _ x); [assumption|]. rewrite (payoff_unique _ _ _ Hx Hy). assumption.
      + destruct (Hw a Ha) as (o & Ho & y & Hy & Hmost). destruct (Hv o Ho) as (x & Hx & Hleast).
        apply (Qle_trans _ x); [assumption|]. apply (Qle_trans _ y); [|assumption]. refine (mean_le _ _ _ _ _ _ Hleast Hmost).
        intros m x' y' _. apply IH.
  Qed.

  Lemma definition_1_halves n : forall s v,
    definition_1 rules q n s v -> at_least rules q n s v /\ at_most rules q n s v.
  Proof.
    induction n as [|n IH]; intros s v; simpl.
    - intros [[T Hv]|[T Hv]].
      + split; left; (split; [assumption|exists v; split; [assumption|apply Qle_refl]]).
      + split; right; (split; [assumption|rewrite Hv; apply Qle_refl]).
    - intros [[T Hv]|[T [(a & Ha & Hmin) Hall]]].
      + split; left; (split; [assumption|exists v; split; [assumption|apply Qle_refl]]).
      + split; right; (split; [assumption|]).
        * exists a. split; [assumption|]. destruct Hmin as [(o & Ho & _) Hmin]. split; [exists o; assumption|].
          intros o' Ho'. destruct (Hmin o' Ho') as (w & Hw & Hle). exists w. split; [assumption|].
          eapply mean_monotone; [|exact Hw]. intros m x _ Hx. apply IH. exact Hx.
        * split; [exists a; assumption|]. intros b Hb. destruct (Hall b Hb) as (w & [(o & Ho & Hw) _] & Hle).
          exists o. split; [assumption|]. exists w. split; [assumption|].
          eapply mean_monotone; [|exact Hw]. intros m x _ Hx. apply IH. exact Hx.
  Qed.

  Theorem value_is_unique v w : value rules q v -> value rules q w -> v == w.
  Proof.
    intros (_ & Hv & Hv') (_ & Hw & Hw'). apply Qle_antisym; eapply halves; eassumption.
  Qed.

  Theorem endless_value_is_unique v w : endless_value rules q v -> endless_value rules q w -> v == w.
  Proof.
    assert (H : forall v w, endless_value rules q v -> endless_value rules q w -> v <= w).
    { intros x y (_ & _ & Hx) (_ & Hy & _). apply Qnot_lt_le. intros Hlt.
      destruct (Hx ((x - y) * (1 # 2))) as (n & Hn); [lra|]. pose proof (halves _ _ _ _ Hn (Hy n)). lra. }
    intros Hv Hw. apply Qle_antisym; auto.
  Qed.

  Theorem definition_1_gives_the_value v :
    stratified rules -> definition_1 rules q (steps q) (start_state rules q) v -> value rules q v.
  Proof. intros Hs Hv. split; [assumption|apply definition_1_halves, Hv]. Qed.

  Theorem value_by_definition_1 v w :
    value rules q v -> definition_1 rules q (steps q) (start_state rules q) w -> v == w.
  Proof.
    intros (_ & Hv & Hv') Hw. apply definition_1_halves in Hw as [Hw Hw'].
    apply Qle_antisym; eapply halves; eassumption.
  Qed.
End Uniqueness.
