(** * Definition 1, computed

    [value_within] tries everything: it is Definition 1 with sets as lists. It needs no strategy, and suits small
    games only. The tests compare it with sqasp, since a proof about a wrong definition proves nothing. *)

Require Import Rules Stable Evaluate Game Value Check.
From Coq Require Import PArith MSetPositive QArith.

Section Define.
  Variable t : tables.
  Variable aim : objective.

  (** The largest, or smallest, of values; there must be one. *)
  Definition extreme (s : side) (values : list Q) : result Q :=
    match values with
    | [] => Refused "a role has no legal move"
    | _ => Done (worst s values)
    end.

  Section Step.
    (** The value with one step less, and a state. *)
    Variable value_of_next : code -> result Q.
    Variable d : derived.
    Variable set : PositiveSet.t.

    Definition mean_after (own : move) (l : list (ground * move)) : result Q :=
      values <- collect (fun x : ground * list positive =>
        match evaluate_after (compiled t) d ((does_number own :: reply_numbers l) ++ snd x) with
        | None => Refused "the rules cannot be evaluated"
        | Some set => value_of_next (next_code t set)
        end) (outcomes t set);
      ensure require (match values with [] => false | _ => true end) "random has no legal move";
      Done (mean_of values).

    Definition minimum_after (own : move) : result Q :=
      minima <- collect (mean_after own) (all_replies t set); extreme RoleSide minima.
  End Step.

  Fixpoint value_within (n : nat) (c : code) : result Q :=
    match evaluate_before (compiled t) (true_facts t c) with
    | None => Refused "the rules cannot be evaluated"
    | Some d =>
        match evaluate_after (compiled t) d [] with
        | None => Refused "the rules cannot be evaluated"
        | Some set =>
            if holds_number set (terminal_number t) then
              payoff_of aim (map fst (filter (fun g => has set (snd g)) (goal_numbers t)))
            else
              match n with
              | O => Done 0
              | S k =>
                  maxima <- collect (minimum_after (value_within k) d set) (legal_moves set (own_moves t));
                  extreme OpponentsSide maxima
              end
        end
    end.
End Define.

(** The value of a question. *)
Definition define (suggested : suggestions) (rules : program) (q : question) : result Q :=
  t <- make_tables suggested rules (who q);
  c <- start_code t q;
  value_within t (aim q) (steps q) c.

(** ** Proofs *)

Lemma worst_in s values v : extreme s values = Done v -> In v values.
Proof.
  destruct values as [|u values]; [discriminate|]. intros [= <-]. simpl.
  assert (H : forall l u, fold_left (worse s) l u = u \/ In (fold_left (worse s) l u) l).
  { clear. induction l as [|w l IH]; intros u; simpl; [auto|].
    destruct (IH (worse s u w)) as [->|H]; [|auto].
    assert (E : worse s u w = u \/ worse s u w = w) by (unfold worse; destruct s, (Qle_bool u w); auto).
    destruct E as [->| ->]; auto. }
  destruct (H values u) as [->|H']; auto.
Qed.

Lemma extreme_least s values v w : extreme s values = Done v -> In w values -> no_better s v w.
Proof. destruct values; [discriminate|]. intros [= <-]. apply worst_no_better. Qed.

Section Right.
  Variable rules : program.
  Variable q : question.

  Lemma same_definition_1 n : forall s s' v, same s s' -> definition_1 rules q n s v -> definition_1 rules q n s' v.
  Proof.
    induction n as [|n IH]; intros s s' v H; simpl; rewrite (same_terminal rules s s' H).
    - intros [[T Hv]|[T Hv]]; [left|right]; (split; [assumption|]); eauto using same_payoff.
    - intros [[T Hv]|[T Hv]]; [left|right]; (split; [assumption|]); [eauto using same_payoff|].
      assert (Hmean : forall a o w,
                mean (chance rules s) (fun m => definition_1 rules q n (next_state rules s (joint rules q a o m))) w ->
                mean (chance rules s') (fun m => definition_1 rules q n (next_state rules s' (joint rules q a o m))) w).
      { intros a o w. apply mean_of_equal; [intros m; apply same_chance, H|intros m x; apply IH, same_next, H]. }
      assert (Hmin : forall a w,
                minimum (reply rules q s) (fun o => mean (chance rules s) (fun m => definition_1 rules q n (next_state rules s (joint rules q a o m)))) w ->
                minimum (reply rules q s') (fun o => mean (chance rules s') (fun m => definition_1 rules q n (next_state rules s' (joint rules q a o m)))) w).
      { intros a w [(o & Ho & Hw) Hall]. split; [exists o; eauto using same_reply|].
        intros o' Ho'. destruct (Hall o') as (x & Hx & Hle); [eapply same_reply; [apply same_symmetric|]; eassumption|].
        exists x. auto. }
      destruct Hv as [(a & Ha & Hw) Hall]. split.
      + exists a. split; [apply (same_legal rules s s' _ _ H), Ha|]. apply Hmin, Hw.
      + intros b Hb. apply (same_legal rules s s' _ _ H) in Hb. destruct (Hall b Hb) as (w & Hb' & Hle). exists w.
        split; [apply Hmin, Hb'|assumption].
  Qed.

  Variable t : tables.
  Hypothesis Ht : right_tables rules (who q) t.

  Lemma value_within_right n : forall c v,
    value_within t (aim q) n c = Done v -> definition_1 rules q n (state_of t c) v.
  Proof.
    induction n as [|n IH]; intros c v H; cbn [value_within] in H;
      (destruct (evaluate_before (compiled t) (true_facts t c)) as [d|] eqn:Ed; [|discriminate]);
      (destruct (evaluate_after (compiled t) d []) as [set|] eqn:Es; [|discriminate]);
      pose proof (evaluated_state rules q t Ht c d set Ed Es) as Hset;
      rewrite (tables_terminal _ _ _ Ht) in H;
      (destruct (holds_number set (number (compiled t) (Ground "terminal" []))) eqn:Et;
       [apply (holds_iff rules q t Ht), Hset in Et; left; split; [exact Et|];
        apply (payoff_right rules q t Ht c set Hset); assumption|]);
      (right; split; [intros T; apply Hset, (holds_iff rules q t Ht) in T; congruence|]).
    - injection H as <-. reflexivity.
    - apply bind_done in H as (maxima & Hmax & H). apply collect_done in Hmax.
      destruct (outcomes_right rules q t Ht c set Hset) as [Hel Hout].
      assert (Hmean : forall own l o w, In own (own_moves t) -> reply_right t l o ->
                mean_after t (value_within t (aim q) n) d set own l = Done w ->
                mean (chance rules (state_of t c)) (fun m => definition_1 rules q n
                  (next_state rules (state_of t c) (joint rules q (move_term own) o m))) w).
      { intros own l o w Hown Hl E. unfold mean_after in E. steps_of E. apply collect_done in E0.
        exists (map fst (outcomes t set)), r. split; [assumption|].
        split; [destruct (outcomes t set); [inversion E0; subst; discriminate|discriminate]|]. split.
        - revert Hout E0. generalize (outcomes t set). clear - IH Ht Ed Hown Hl. intros xs Hout E0.
          induction E0 as [|x u xs us Hx _ IH']; [constructor|].
          constructor; [|apply IH'; intros y Hy; apply Hout; right; assumption].
          destruct (evaluate_after _ d _) as [set'|] eqn:E'; [|discriminate].
          apply IH in Hx. refine (same_definition_1 n _ _ _ _ Hx).
          apply (next_code_right rules q t Ht c d own l o x set'); auto. apply Hout. left. reflexivity.
        - subst w. unfold mean_of. rewrite Qred_correct, map_length, (Forall2_same_length _ _ _ E0). reflexivity. }
      assert (Hmin : forall own w, In own (legal_moves set (own_moves t)) ->
                minimum_after t (value_within t (aim q) n) d set own = Done w ->
                minimum (reply rules q (state_of t c)) (fun o => mean (chance rules (state_of t c)) (fun m =>
                  definition_1 rules q n (next_state rules (state_of t c) (joint rules q (move_term own) o m)))) w).
      { intros own w Hown E. apply filter_In in Hown as [Hown _]. apply bind_done in E as (minima & E & Hw).
        apply collect_done in E. split.
        - apply worst_in in Hw as Hin. destruct (Forall2_right _ _ _ _ E Hin) as (l & Hl & El).
          apply all_replies_sound in Hl as [Hnames Hl].
          destruct (reply_of_right rules q t Ht c set Hset l Hnames Hl) as [Ho Hr].
          exists (reply_of l). split; [assumption|]. eapply Hmean; eassumption.
        - intros o Ho. destruct (all_replies_complete rules q t Ht c set Hset o Ho) as (l & Hl & Hr).
          destruct (Forall2_left _ _ _ _ E Hl) as (u & Hu & El). exists u. split; [eapply Hmean; eassumption|].
          apply (extreme_least RoleSide _ _ _ Hw Hu). }
      split.
      + apply worst_in in H as Hin. destruct (Forall2_right _ _ _ _ Hmax Hin) as (own & Hown & E).
        exists (move_term own). split; [|apply Hmin; assumption].
        apply (legal_moves_sound rules q t Ht c set Hset (who q)) in Hown; [apply Hown|apply (tables_own _ _ _ Ht)].
      + intros x Hx.
        destruct (legal_moves_complete rules q t Ht c set Hset (who q) _ x (tables_own _ _ _ Ht) Hx) as (own & Hown & <-).
        destruct (Forall2_left _ _ _ _ Hmax Hown) as (u & Hu & E). exists u. split; [apply Hmin; assumption|].
        apply (extreme_least OpponentsSide _ _ _ H Hu).
  Qed.
End Right.

Theorem define_is_definition_1 suggested rules q v :
  define suggested rules q = Done v -> definition_1 rules q (steps q) (start_state rules q) v.
Proof.
  intros H. unfold define in H. steps_of H. apply make_tables_right in E as Ht.
  eapply same_definition_1; [apply (start_code_right rules q r Ht _ E0)|].
  apply (value_within_right rules q r Ht), H.
Qed.
