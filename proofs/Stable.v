(** * The standard model is the only stable one

    A set of atoms is stable if its elements are those that can be derived when a negative condition is
    read as "not in this set" (Gelfond and Lifschitz 1988). The standard model of a stratified program is stable,
    and no other set is. So the standard model does not depend on the choice of strata; and whoever finds a
    stable set, in any way, has found the standard model. [Evaluate.v] does so. *)

Require Import Rules.
From Coq Require Import Lia Arith.

Section Stable.
  Variable rules : program.
  Variable facts : atoms.

  (** Atoms that can be derived from the facts, where [not a] holds if [a] is not in [set]. *)
  Inductive derivable (set : atoms) : atoms :=
  | derivable_fact : forall a, facts a -> derivable set a
  | derivable_rule : forall c s,
      In c rules ->
      (forall a, In a (positives c) -> derivable set (atom_instance s a)) ->
      (forall a, In a (negatives c) -> ~ set (atom_instance s a)) ->
      (forall t u, In (t, u) (different c) -> instance s t <> instance s u) ->
      derivable set (atom_instance s (head c)).

  Definition stable (set : atoms) : Prop := forall a, set a <-> derivable set a.

  (** The standard model by given strata. *)
  Definition model_by (stratum : name -> nat) : atoms := fun a =>
    model_below rules stratum facts (S (stratum (predicate_of a))) a.

  Section OneStratification.
    Variable stratum : name -> nat.
    Hypothesis Hstrata : stratifies rules stratum.
    Let below := model_below rules stratum facts.

    Lemma below_monotone j k a : j <= k -> below j a -> below k a.
    Proof. intros Hjk Hj. induction Hjk; [exact Hj|]. apply from_below. assumption. Qed.

    (** An atom gets into the model with its stratum, or is a fact. *)
    Lemma below_own k a : below k a -> model_by stratum a.
    Proof.
      induction k as [|k IH]; intros H.
      - apply (below_monotone 0); [lia|assumption].
      - destruct H as [a H|c s Hc Hk Hp Hn Hd]; [apply IH, H|].
        unfold model_by. simpl predicate_of. rewrite Hk. apply (by_rule rules stratum k _ c s); assumption.
    Qed.

    Theorem standard_model_is_stable : stable (model_by stratum).
    Proof.
      intros a; split.
      - unfold model_by at 1. generalize (S (stratum (predicate_of a))) as k. intros k; revert a.
        induction k as [|k IH]; intros a H; [apply derivable_fact, H|].
        induction H as [a H|c s Hc Hk _ Hp Hn Hd]; [apply IH, H|].
        apply derivable_rule; auto. intros b Hb H. apply (Hn b Hb).
        destruct (Hstrata c Hc) as [_ Hlower]. specialize (Hlower b Hb).
        apply below_monotone with (j := S (stratum (predicate b))); [lia|]. exact H.
      - induction 1 as [a H|c s Hc _ Hp Hn Hd].
        + apply below_own with (k := 0). exact H.
        + destruct (Hstrata c Hc) as [Hpos Hneg].
          apply (by_rule rules stratum _ _ c s); auto.
          * intros b Hb. specialize (Hp b Hb).
            change (below (S (stratum (predicate (head c)))) (atom_instance s b)).
            apply below_monotone with (j := S (stratum (predicate b))); [specialize (Hpos b Hb); simpl; lia|].
            exact Hp.
          * intros b Hb H. apply (Hn b Hb). apply below_own in H. exact H.
    Qed.

    Theorem stable_is_unique m n : stable m -> stable n -> forall a, m a <-> n a.
    Proof.
      intros Hm Hn.
      assert (Hone : forall k m n, stable m -> stable n ->
                (forall a, stratum (predicate_of a) < k -> m a <-> n a) ->
                forall a, derivable m a -> stratum (predicate_of a) <= k -> derivable n a).
      { clear m n Hm Hn. intros k m n Hm Hn Hk a H. induction H as [a H|c s Hc _ Hp Hneg Hd]; intros Ha.
        - apply derivable_fact, H.
        - destruct (Hstrata c Hc) as [Hpos Hlow]. simpl in Ha.
          apply derivable_rule; auto.
          + intros b Hb. apply (Hp b Hb). simpl. specialize (Hpos b Hb). lia.
          + intros b Hb H. apply (Hneg b Hb). apply Hk; [|exact H]. simpl. specialize (Hlow b Hb). lia. }
      assert (Hall : forall k a, stratum (predicate_of a) < k -> m a <-> n a).
      { induction k as [|k IH]; intros a Ha; [lia|].
        rewrite (Hm a), (Hn a). split; intros H.
        - apply (Hone k m n); auto. lia.
        - apply (Hone k n m); auto; [|lia]. intros b Hb. symmetry. auto. }
      intros a. apply (Hall (S (stratum (predicate_of a)))). lia.
    Qed.
  End OneStratification.

  Theorem model_does_not_depend_on_strata stratum :
    stratifies rules stratum -> forall a, model rules facts a <-> model_by stratum a.
  Proof.
    intros H a. split.
    - intros (other & Ho & Ha). apply (stable_is_unique _ H (model_by other)); auto using standard_model_is_stable.
    - intros Ha. exists stratum. split; assumption.
  Qed.

  (** Whoever finds a stable set has found the standard model. *)
  Theorem stable_is_model set : stratified rules -> stable set -> forall a, set a <-> model rules facts a.
  Proof.
    intros (stratum & H) Hs a. rewrite (model_does_not_depend_on_strata _ H).
    apply (stable_is_unique _ H); auto using standard_model_is_stable.
  Qed.
End Stable.

(** Equal facts give equal models. *)
Lemma model_of_equal_facts rules f g : (forall a, f a <-> g a) -> forall a, model rules f a <-> model rules g a.
Proof.
  assert (H : forall f g : atoms, (forall a, f a -> g a) -> (forall a, g a -> f a) -> forall stratum k a,
              model_below rules stratum f k a -> model_below rules stratum g k a).
  { clear. intros f g H H' stratum k. assert (Hk : forall a, model_below rules stratum f k a <-> model_below rules stratum g k a).
    { induction k as [|k IH]; intros a; [split; simpl; auto|].
      split; induction 1 as [a Ha|c s Hc Hk _ Hp Hn Hd].
      - apply from_below, IH, Ha.
      - apply (by_rule rules stratum k _ c s); auto. intros b Hb Hb'. apply (Hn b Hb), IH, Hb'.
      - apply from_below, IH, Ha.
      - apply (by_rule rules stratum k _ c s); auto. intros b Hb Hb'. apply (Hn b Hb), IH, Hb'. }
    intros a; apply Hk. }
  intros E a. split; intros (stratum & Hs & Ha); exists stratum; (split; [assumption|]);
    (eapply H; [| |exact Ha]; intros b; apply E).
Qed.
