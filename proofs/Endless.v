(** * Play without a step limit

    Here a position can follow itself, so the claims of the strategies are the proof. On the opponents' side no
    position may claim less than what follows from the claims of the next ones: then it is an upper bound. On the role's side
    none may claim more; and, so that play cannot stay for ever where something is claimed, each position has a
    rank, and after each reply some move of random leads to a lower rank. [check_endless_proves_the_value]. *)

Require Import Rules Stable Evaluate Game Value Check.
From Coq Require Import PArith FMapPositive MSetPositive Lia Lqa QArith Qminmax.
Open Scope string_scope.
Open Scope list_scope.
Open Scope Q_scope.

Section Endless.
  Variable t : tables.
  Variable aim : objective.

  Definition claims := PositiveMap.t Q.

  (** The claim of a position that is listed, and the payoff of a terminal state. *)
  Definition worth_of (l : claims) (c : code) : result Q :=
    match PositiveMap.find c l with
    | Some v => Done v
    | None =>
        match evaluate_before (compiled t) (true_facts t c) with
        | None => Refused "the rules cannot be evaluated"
        | Some d =>
            match evaluate_after (compiled t) d [] with
            | None => Refused "the rules cannot be evaluated"
            | Some set =>
                if holds_number set (terminal_number t) then
                  payoff_of aim (map fst (filter (fun g => has set (snd g)) (goal_numbers t)))
                else Refused ("nothing is listed for the state " ++ show_all (map fluent_term (decode (fluents t) c)))%string
            end
        end
    end.

  (** A position, its claim, and the states after each alternative and each move of random. *)
  Record edges := Edges { from : code; claimed : Q; next_codes : list (list code) }.

  Definition successors (d : derived) (moves : list positive) (chance : list (ground * list positive)) : result (list code) :=
    collect (fun x : ground * list positive =>
               match evaluate_after (compiled t) d (moves ++ snd x) with
               | Some set => Done (next_code t set)
               | None => Refused "the rules cannot be evaluated"
               end) chance.

  Definition follow (l : claims) (d : derived) (chance : list (ground * list positive)) (a : alternative) : result (Q * list code) :=
    cs <- successors d (does_number (own a) :: reply_numbers (reply_moves a)) chance;
    vs <- collect (worth_of l) cs;
    ensure require (claim_holds (worth a) (mean_of vs)) ("the move " ++ show (move_term (own a)) ++ " is not worth what it claims")%string;
    Done (mean_of vs, cs).

  Definition check_position (s : side) (advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative))
    (l : claims) (cv : code * Q) : result edges :=
    let (c, v) := cv in
    let refuse why := Refused (why ++ " in the state " ++ show_all (map fluent_term (decode (fluents t) c)))%string in
    match evaluate_before (compiled t) (true_facts t c) with
    | None => Refused "the rules cannot be evaluated"
    | Some d =>
        match evaluate_after (compiled t) d [] with
        | None => Refused "the rules cannot be evaluated"
        | Some set =>
            ensure require (negb (holds_number set (terminal_number t))) "a terminal state is listed";
            ensure require (Qle_bool 0 v) "a claim is negative";
            said <- advice 0%nat c set;
            match outcomes t set, snd said with
            | (_ :: _) as chance, (_ :: _) as alternatives =>
                found <- collect (follow l d chance) alternatives;
                if Qeq_bool (worst s (map fst found)) v then Done (Edges c v (map snd found))
                else refuse "a position is not worth what it claims"
            | _, _ => refuse "a role has no legal move"
            end
        end
    end.

  (** The claims of a side. Here positions stand for any number of steps. *)
  Definition list_claims {A} (table : listing A) : result (list (code * Q)) :=
    collect (fun x : code * list (option nat * (option Q * A)) =>
               match snd x with
               | [(None, (Some v, _))] => Done (fst x, v)
               | _ => Refused "a position has no `value`, or a number of steps, in a strategy without a step limit"
               end) (PositiveMap.elements table).

  Fixpoint claims_map (l : list (code * Q)) : claims :=
    match l with
    | [] => PositiveMap.empty Q
    | (c, v) :: l => PositiveMap.add c v (claims_map l)
    end.

  (** The rank of a position: 0 if play is over, or nothing is claimed. *)
  Definition rank (l : claims) (suggested : code -> nat) (c : code) : nat :=
    match PositiveMap.find c l with
    | Some v => if Qle_bool v 0 then 0%nat else suggested c
    | None => 0%nat
    end.

  Definition progresses (l : claims) (suggested : code -> nat) (e : edges) : bool :=
    Qle_bool (claimed e) 0 ||
    forallb (existsb (fun c => Nat.ltb (rank l suggested c) (rank l suggested (from e)))) (next_codes e).
End Endless.

(** The value of the question without a step limit, if the strategy proves it. Ranks are suggested. *)
Definition check_endless (suggested : suggestions) (ranks : list edges -> code -> nat) (rules : program) (q : question) (s : strategy)
  : result Q :=
  t <- make_tables suggested rules (who q);
  c <- start_code t q;
  player_table <- list_positions t (player s) (PositiveMap.empty _);
  player_claims <- list_claims player_table;
  let lower := claims_map player_claims in
  found <- collect (check_position t (aim q) RoleSide (player_advice t player_table) lower) player_claims;
  ensure require (forallb (progresses lower (ranks found)) found)
    "the opponents can keep play going for ever where something is claimed";
  opponents_table <- list_positions t (opponents s) (PositiveMap.empty _);
  opponents_claims <- list_claims opponents_table;
  let upper := claims_map opponents_claims in
  ensure collect (check_position t (aim q) OpponentsSide (opponents_advice t opponents_table) upper) opponents_claims;
  low <- worth_of t (aim q) lower c;
  high <- worth_of t (aim q) upper c;
  ensure require (Qeq_bool low (promise s)) "the role's side does not guarantee the value that is promised";
  ensure require (Qeq_bool high (promise s)) "the opponents' side does not keep to the value that is promised";
  Done (Qred (promise s)).

(** ** Proofs: powers *)

Fixpoint pow (x : Q) (n : nat) : Q := match n with O => 1 | S n => x * pow x n end.

Lemma pow_bounds x n : 0 < x -> x <= 1 -> 0 < pow x n /\ pow x n <= 1.
Proof. intros H H1. induction n as [|n [IH IH']]; simpl; [lra|]. split; nra. Qed.

Lemma pow_falls x m n : 0 < x -> x <= 1 -> (m <= n)%nat -> pow x n <= pow x m.
Proof.
  intros H H1 Hmn. induction Hmn as [|n Hmn IH]; [lra|]. simpl. pose proof (pow_bounds x n H H1). nra.
Qed.

Lemma pow_zero_side x n : 0 <= x -> x <= 1 -> 0 <= pow x n /\ pow x n <= 1.
Proof. intros H H1. induction n as [|n [IH IH']]; simpl; [lra|]. split; nra. Qed.

Lemma whole_above x : exists n, x <= inject_Z (Z.of_nat n).
Proof.
  exists (Z.to_nat (Z.abs (Qnum x))). rewrite Z2Nat.id by lia. destruct x as [a b]. unfold Qle, inject_Z. simpl. nia.
Qed.

(** Powers of a number below 1 become as small as one likes (Bernoulli). *)
Lemma powers_vanish d k e : 0 < d -> d <= 1 -> 0 <= k -> 0 < e -> exists n, k * pow (1 - d) n <= e.
Proof.
  intros Hd Hd1 Hk He.
  assert (H : forall n, pow (1 - d) n * (1 + inject_Z (Z.of_nat n) * d) <= 1).
  { induction n as [|n IH]; [simpl; change (inject_Z 0) with 0; lra|].
    cbn [pow]. rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1.
    destruct (pow_zero_side (1 - d) n) as [H0 _]; [lra|lra|].
    assert (0 <= inject_Z (Z.of_nat n)) by (unfold Qle, inject_Z; simpl; lia).
    set (x := inject_Z (Z.of_nat n)) in *. set (y := pow (1 - d) n) in *.
    assert ((1 - d) * (1 + (x + 1) * d) <= 1 + x * d) by nra.
    assert (y * ((1 - d) * (1 + (x + 1) * d)) <= y * (1 + x * d)) by (rewrite !(Qmult_comm y); apply Qmult_le_compat_r; assumption).
    lra. }
  assert (Hde : 0 < d * e) by nra.
  destruct (whole_above (k / (d * e))) as (n & Hn). exists n. specialize (H n).
  destruct (pow_zero_side (1 - d) n) as [H0 _]; [lra|lra|].
  assert (Hx : k <= inject_Z (Z.of_nat n) * (d * e)).
  { assert (E : k == k / (d * e) * (d * e)) by (field; lra). rewrite E. apply Qmult_le_compat_r; lra. }
  set (x := inject_Z (Z.of_nat n)) in *. set (y := pow (1 - d) n) in *.
  assert (k * y <= x * (d * e) * y) by (apply Qmult_le_compat_r; assumption).
  assert (e * (y * (1 + x * d)) <= e * 1) by (rewrite !(Qmult_comm e); apply Qmult_le_compat_r; lra).
  nra.
Qed.

(** ** Proofs: what a checked position says *)

Lemma claims_map_in l c v : PositiveMap.find c (claims_map l) = Some v -> In (c, v) l.
Proof.
  induction l as [|[d w] l IH]; simpl; [rewrite PositiveMap.gempty; discriminate|].
  destruct (Pos.eq_dec c d) as [->|Hne].
  - rewrite PositiveMap.gss. intros [= ->]. auto.
  - rewrite PositiveMap.gso by assumption. auto.
Qed.

Lemma Forall2_compose {A B C} (R : A -> B -> Prop) (S : B -> C -> Prop) l m n :
  Forall2 R l m -> Forall2 S m n -> Forall2 (fun a c => exists b, In b m /\ R a b /\ S b c) l n.
Proof.
  intros H. revert n. induction H as [|a b l m Hab _ IH]; intros n Hs; inversion Hs; subst; constructor.
  - exists b. split; [left|]; auto.
  - eapply Forall2_implies; [|apply IH; assumption]. intros a1 c1 (z & Hz & Hac). exists z. split; [right|]; assumption.
Qed.

Section Right.
  Variable rules : program.
  Variable q : question.
  Variable t : tables.
  Hypothesis Ht : right_tables rules (who q) t.
  Let p := compiled t.

  Lemma payoff_not_negative s v : payoff rules q s v -> 0 <= v.
  Proof.
    assert (H : forall n, 0 <= inject_Z (Z.of_N n)) by (intros n; unfold Qle, inject_Z; simpl; lia).
    unfold payoff. destruct (aim q).
    - intros [[_ ->]|[_ ->]]; lra.
    - intros [[_ ->]|[_ ->]]; lra.
    - intros (g & n & _ & _ & _ & ->). apply H.
    - intros (g & n & _ & _ & _ & ->). specialize (H n). unfold Qdiv. change (/ 100) with (1 # 100). lra.
  Qed.

  Lemma worth_of_cases l c v : worth_of t (aim q) (claims_map l) c = Done v ->
    In (c, v) l /\ PositiveMap.find c (claims_map l) = Some v \/
    PositiveMap.find c (claims_map l) = None /\ terminal rules (state_of t c) /\ payoff rules q (state_of t c) v.
  Proof.
    unfold worth_of. destruct (PositiveMap.find c (claims_map l)) as [w|] eqn:E.
    - intros [= <-]. left. split; [apply claims_map_in, E|reflexivity].
    - destruct (evaluate_before (compiled t) (true_facts t c)) as [d|] eqn:Ed; [|discriminate].
      destruct (evaluate_after (compiled t) d []) as [set|] eqn:Es; [|discriminate].
      pose proof (evaluated_state rules q t Ht c d set Ed Es) as Hset.
      rewrite (tables_terminal _ _ _ Ht).
      destruct (holds_number set (number (compiled t) (Ground "terminal" []))) eqn:Et; [|discriminate].
      intros H. right. split; [reflexivity|]. split.
      + apply (holds_iff rules q t Ht), Hset in Et. exact Et.
      + apply (payoff_right rules q t Ht c set Hset), H.
  Qed.

  (** After the move [x] and the reply [o] in the state [c] the mean of the claims is no better than [v], and the next
      states are among those of [e]. *)
  Definition followed (s : side) (l : claims) (e : edges) (c : code) (v : Q) (x : ground) (o : ground -> ground) : Prop :=
    exists moves cs vs,
      elements (chance rules (state_of t c)) moves /\ moves <> [] /\ In cs (next_codes e) /\
      Forall2 (fun m c' => same (state_of t c') (next_state rules (state_of t c) (joint rules q x o m))) moves cs /\
      Forall2 (fun c' w => worth_of t (aim q) l c' = Done w) cs vs /\
      no_better s v (sum vs / inject_Z (Z.of_nat (List.length vs))).

  Lemma check_position_right s advice l c v e : advice_right rules q t s advice ->
    check_position t (aim q) s advice l (c, v) = Done e ->
    from e = c /\ claimed e = v /\ 0 <= v /\ ~ terminal rules (state_of t c) /\
    (exists cs, In cs (next_codes e)) /\
    match s with
    | RoleSide => exists x, legal rules (state_of t c) (who q) x /\ (exists o, reply rules q (state_of t c) o) /\
        forall o, reply rules q (state_of t c) o -> followed s l e c v x o
    | OpponentsSide => (exists x, legal rules (state_of t c) (who q) x) /\
        forall x, legal rules (state_of t c) (who q) x -> exists o, reply rules q (state_of t c) o /\ followed s l e c v x o
    end.
  Proof.
    intros Hadvice H. cbn [check_position] in H. fold p in H.
    destruct (evaluate_before p (true_facts t c)) as [d|] eqn:Ed; [|discriminate].
    destruct (evaluate_after p d []) as [set|] eqn:Es; [|discriminate].
    pose proof (evaluated_state rules q t Ht c d set Ed Es) as Hset.
    apply bind_done in H as (u & Hterminal & H). apply require_done, negb_true_iff in Hterminal.
    apply bind_done in H as (u' & Hpositive & H). apply require_done, Qle_bool_iff in Hpositive.
    apply bind_done in H as ((claim' & alternatives) & Ha & H). cbn [snd] in H.
    destruct (Hadvice _ _ _ _ _ Hset Ha) as [Hall Hside].
    destruct (outcomes_right rules q t Ht c set Hset) as [Hel Hout].
    destruct (outcomes t set) as [|x0 more] eqn:Eo; [discriminate|]. destruct alternatives as [|a0 rest]; [discriminate|].
    cbv beta iota zeta in H. remember (x0 :: more) as chance. remember (a0 :: rest) as alternatives.
    apply bind_done in H as (found & Hfound & H).
    destruct (Qeq_bool (worst s (map fst found)) v) eqn:Ev; [|discriminate]. injection H as <-. apply Qeq_bool_iff in Ev.
    assert (Hno : ~ terminal rules (state_of t c)).
    { intros T. apply Hset, (holds_iff rules q t Ht) in T. rewrite (tables_terminal _ _ _ Ht) in Hterminal. congruence. }
    (* Each alternative leads to states whose claims have a mean that is no better. *)
    apply collect_done in Hfound.
    assert (Hfollow : forall a o, In a alternatives -> alternative_right rules q t c a o ->
              followed s l (Edges c v (map snd found)) c v (move_term (own a)) o).
    { intros a o Hin (Hown & _ & _ & Hreply). destruct (Forall2_left _ _ _ _ Hfound Hin) as ((w & cs) & Hw & E).
      unfold follow in E. apply bind_done in E as (cs' & Hcs & E). apply bind_done in E as (vs & Hvs & E).
      apply bind_done in E as (u2 & _ & E). injection E as <- <-. apply collect_done in Hcs, Hvs.
      exists (map fst chance), cs', vs. split; [exact Hel|]. split; [subst chance; discriminate|].
      split; [apply (in_map snd _ _ Hw)|]. split; [|split; [exact Hvs|]].
      - clear - Hcs Ed Hown Hreply Hout Ht. subst p.
        induction Hcs as [|x c' xs cs Hx _ IH]; [constructor|]. cbn [map]. constructor.
        + destruct (evaluate_after (compiled t) d ((does_number (own a) :: reply_numbers (reply_moves a)) ++ snd x)) as [set'|] eqn:E'; [|discriminate].
          injection Hx as <-. apply (next_code_right rules q t Ht c d (own a) (reply_moves a) o x set'); auto.
          apply Hout. left. reflexivity.
        + apply IH. intros y Hy. apply Hout. right. assumption.
      - assert (Hworst : no_better s (worst s (map fst found)) (mean_of vs)) by (apply worst_no_better, (in_map fst _ _ Hw)).
        unfold mean_of in Hworst. unfold no_better in *. destruct s; rewrite Qred_correct, Ev in Hworst; exact Hworst. }
    split; [reflexivity|]. split; [reflexivity|]. split; [assumption|]. split; [assumption|]. split.
    - subst alternatives. inversion Hfound as [|a b as' bs Hab Hrest]; subst. exists (snd b). left. reflexivity.
    - destruct (Hall a0) as (o0 & H0); [subst alternatives; left; reflexivity|]. destruct s.
      + destruct Hside as (x & Hx). destruct (Hx o0) as (a1 & _ & <- & H1); [apply H0|].
        exists (move_term (own a1)). split; [apply H1|]. split; [exists o0; apply H0|].
        intros o Ho. destruct (Hx o Ho) as (a & Hin & <- & Hright). apply Hfollow; assumption.
      + split; [exists (move_term (own a0)); apply H0|]. intros x Hx.
        destruct (Hside x Hx) as (a & o & Hin & <- & Hright). exists o. split; [apply Hright|]. apply Hfollow; assumption.
  Qed.

  (** ** Proofs: the upper bound *)

  Section Upper.
    Variable advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative).
    Hypothesis Hadvice : advice_right rules q t OpponentsSide advice.
    Variable l : list (code * Q).
    Variable found : list edges.
    Hypothesis Hfound : Forall2 (fun cv e => check_position t (aim q) OpponentsSide advice (claims_map l) cv = Done e) l found.

    Lemma upper_bound n : forall c v, worth_of t (aim q) (claims_map l) c = Done v -> at_most rules q n (state_of t c) v.
    Proof.
      induction n as [|n IH]; intros c v H;
        (destruct (worth_of_cases _ _ _ H) as [[Hin _]|(_ & T & Hp)];
         [|left; split; [assumption|exists v; split; [assumption|apply Qle_refl]]]);
        destruct (Forall2_left _ _ _ _ Hfound Hin) as (e & _ & He);
        destruct (check_position_right _ _ _ _ _ _ Hadvice He) as (_ & _ & Hv & T & _ & Hx & Hall);
        right; (split; [assumption|]).
      - assumption.
      - split; [assumption|]. intros x Hl. destruct (Hall x Hl) as (o & Ho & ms & cs & vs & Hel & Hne & _ & Hcs & Hvs & Hmean).
        exists o. split; [assumption|]. exists (sum vs / inject_Z (Z.of_nat (List.length vs))). split; [exact Hmean|].
        exists ms, vs. split; [assumption|]. split; [assumption|]. split.
        + eapply Forall2_implies; [|exact (Forall2_compose _ _ _ _ _ Hcs Hvs)].
          intros m w (c' & _ & Hsame & Hw). eapply same_at_most; [exact Hsame|]. apply IH, Hw.
        + rewrite (Forall2_same_length _ _ _ Hcs), (Forall2_same_length _ _ _ Hvs). reflexivity.
    Qed.
  End Upper.

  (** ** Proofs: the lower bound *)

  Lemma largest {A} (f : A -> nat) l : exists k, forall a, In a l -> (f a <= k)%nat.
  Proof.
    induction l as [|a l (k & Hk)]; [exists 0%nat; intros a []|]. exists (Nat.max (f a) k).
    intros b [<-|Hb]; [|specialize (Hk b Hb)]; lia.
  Qed.

  Section Lower.
    Variable advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative).
    Hypothesis Hadvice : advice_right rules q t RoleSide advice.
    Variable l : list (code * Q).
    Variable found : list edges.
    Variable suggested : code -> nat.
    Hypothesis Hfound : Forall2 (fun cv e => check_position t (aim q) RoleSide advice (claims_map l) cv = Done e) l found.
    Hypothesis Hprogress : forallb (progresses (claims_map l) suggested) found = true.

    Let R := rank (claims_map l) suggested.

    (** No position has more outcomes, a higher rank, or a larger claim. *)
    Variables most highest : nat.
    Variable dearest : Q.
    Hypothesis Hmost : forall e cs, In e found -> In cs (next_codes e) -> (List.length cs <= S most)%nat.
    Hypothesis Hhighest : forall c v, In (c, v) l -> (R c <= highest)%nat.
    Hypothesis Hdearest : 0 <= dearest /\ forall c v, In (c, v) l -> v <= dearest.

    (** What may be lost in n steps: it shrinks with n, and is larger where the rank is higher. *)
    Let x := / (2 * inject_Z (Z.of_nat (S most))).
    Let shrink := 1 - pow x highest.
    Let weight (r : nat) := 1 - pow x r.
    Let loss (n r : nat) := 2 * dearest * pow shrink n * weight r.
    Let low (n : nat) (c : code) (v : Q) := Qmax 0 (v - loss n (R c)).

    Lemma x_bounds : 0 < x /\ x <= 1 # 2 /\ forall k, (k <= S most)%nat -> 2 * inject_Z (Z.of_nat k) * x <= 1.
    Proof.
      assert (H : 1 <= inject_Z (Z.of_nat (S most))) by (unfold Qle, inject_Z; simpl; lia).
      set (m := inject_Z (Z.of_nat (S most))) in *.
      assert (Hx : x * (2 * m) == 1) by (subst x; field; lra).
      assert (Hpos : 0 < x) by (subst x; apply Qinv_lt_0_compat; lra).
      split; [assumption|]. split; [nra|]. intros k Hk.
      assert (inject_Z (Z.of_nat k) <= m) by (subst m; unfold Qle, inject_Z; simpl; lia). nra.
    Qed.

    Lemma weight_bounds r : 0 <= weight r /\ weight r <= 1.
    Proof. destruct x_bounds as (H & H2 & _). destruct (pow_bounds x r); [assumption|lra|]. subst weight. cbv beta. lra. Qed.

    Lemma shrink_bounds : 0 <= shrink /\ shrink <= 1.
    Proof. apply weight_bounds with (r := highest). Qed.

    Lemma loss_bounds n r : 0 <= loss n r /\ loss n r <= 2 * dearest * pow shrink n.
    Proof.
      destruct Hdearest as [Hd _]. destruct shrink_bounds as [Hs Hs1]. destruct (pow_zero_side shrink n Hs Hs1) as [Hp _].
      destruct (weight_bounds r) as [Hw Hw1]. subst loss. cbv beta.
      assert (0 <= 2 * dearest * pow shrink n) by nra. set (y := 2 * dearest * pow shrink n) in *. split; nra.
    Qed.

    (** If an outcome has a lower rank, the mean weight of all outcomes is smaller than the own weight. *)
    Lemma weights_shrink rs r : (exists k, In k rs /\ (k < r)%nat) -> (r <= highest)%nat -> (List.length rs <= S most)%nat ->
      sum (map weight rs) <= shrink * weight r * inject_Z (Z.of_nat (List.length rs)).
    Proof.
      intros (k & Hk & Hkr) Hr Hlength. destruct x_bounds as (Hx & Hx2 & Hx3). specialize (Hx3 _ Hlength).
      destruct r as [|r]; [lia|].
      assert (Hsum : sum (map weight rs) <= inject_Z (Z.of_nat (List.length rs)) - pow x r).
      { assert (Hall : forall rs, sum (map weight rs) <= inject_Z (Z.of_nat (List.length rs))).
        { clear - Hdearest. intros rs. induction rs as [|r rs IH]; [apply Qle_refl|]. cbn [map List.length]. unfold sum in *. cbn [fold_right].
          rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1.
          destruct (weight_bounds r). lra. }
        clear Hlength Hx3. induction rs as [|j rs IH]; [destruct Hk|]. cbn [map List.length]. unfold sum in *. cbn [fold_right].
        rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1.
        destruct Hk as [->|Hk].
        - specialize (Hall rs). assert (pow x r <= pow x k) by (apply pow_falls; [assumption|lra|lia]).
          subst weight. cbv beta in *. lra.
        - specialize (IH Hk). destruct (weight_bounds j). lra. }
      assert (Hhigh : pow x highest <= pow x (S r)) by (apply pow_falls; [assumption|lra|lia]).
      destruct (pow_bounds x highest) as [Hy _]; [assumption|lra|]. destruct (pow_bounds x r) as [Hz Hz1]; [assumption|lra|].
      subst shrink weight. cbv beta in *. cbn [pow] in *.
      set (m := inject_Z (Z.of_nat (List.length rs))) in *. set (y := pow x highest) in *. set (z := pow x r) in *.
      assert (Hm : 0 <= m) by (subst m; unfold Qle, inject_Z; simpl; lia).
      assert (Hfactor : 1 - 2 * (x * z) <= (1 - y) * (1 - x * z)) by nra.
      assert ((1 - 2 * (x * z)) * m <= (1 - y) * (1 - x * z) * m) by (apply Qmult_le_compat_r; assumption).
      assert (2 * m * x * z <= 1 * z) by (apply Qmult_le_compat_r; lra).
      lra.
    Qed.

    Lemma lower_means n cs vs :
      (forall c v, worth_of t (aim q) (claims_map l) c = Done v -> at_least rules q n (state_of t c) (low n c v)) ->
      Forall2 (fun c v => worth_of t (aim q) (claims_map l) c = Done v) cs vs ->
      exists ws, Forall2 (fun c w => at_least rules q n (state_of t c) w) cs ws /\ 0 <= sum ws /\
        sum vs - 2 * dearest * pow shrink n * sum (map weight (map R cs)) <= sum ws.
    Proof.
      intros IH H. induction H as [|c v cs vs Hv _ (ws & Hws & H0 & H1)]; unfold sum in *; cbn [map fold_right] in *.
      - exists []. split; [constructor|]. cbn [fold_right]. split; lra.
      - exists (low n c v :: ws). cbn [fold_right]. split; [constructor; auto|].
        pose proof (Q.le_max_l 0 (v - loss n (R c))) as H2. pose proof (Q.le_max_r 0 (v - loss n (R c))) as H3.
        fold (low n c v) in H2, H3. split; [lra|]. subst loss. cbv beta in H3. lra.
    Qed.

    Lemma lower_bound n : forall c v, worth_of t (aim q) (claims_map l) c = Done v ->
      at_least rules q n (state_of t c) (low n c v).
    Proof.
      induction n as [|n IH]; intros c v H;
        (destruct (worth_of_cases _ _ _ H) as [[Hin _]|(_ & T & Hp)];
         [|left; split; [assumption|exists v; split; [assumption|]]; apply Q.max_lub;
           [eapply payoff_not_negative, Hp|destruct (loss_bounds 0 (R c)); try (destruct (loss_bounds (S n) (R c))); lra]]);
        destruct (Forall2_left _ _ _ _ Hfound Hin) as (e & Hin' & He);
        destruct (check_position_right _ _ _ _ _ _ Hadvice He) as (Hfrom & Hclaimed & Hv & T & (cs0 & Hcs0) & x' & Hx & Ho & Hall);
        rewrite forallb_forall in Hprogress; specialize (Hprogress e Hin'); unfold progresses in Hprogress;
        rewrite Hfrom, Hclaimed, orb_true_iff, Qle_bool_iff, forallb_forall in Hprogress;
        right; (split; [assumption|]).
      - apply Q.max_lub; [lra|]. destruct Hprogress as [Hzero|Hrank]; [destruct (loss_bounds 0 (R c)); lra|].
        specialize (Hrank cs0 Hcs0). apply existsb_exists in Hrank as (c' & _ & Hlt). apply Nat.ltb_lt in Hlt. fold R in Hlt.
        destruct x_bounds as (H1 & H2 & _). destruct Hdearest as [Hd Hd']. specialize (Hd' c v Hin).
        assert (Hhalf : pow x (R c) <= pow x 1) by (apply pow_falls; [assumption|lra|lia]). cbn [pow] in Hhalf.
        subst loss weight. cbv beta. cbn [pow]. assert (1 # 2 <= 1 - pow x (R c)) by lra.
        set (z := 1 - pow x (R c)) in *. nra.
      - exists x'. split; [assumption|]. split; [assumption|]. intros o Hr.
        destruct (Hall o Hr) as (ms & cs & vs & Hel & Hne & Hcs & Hsame & Hvs & Hmean).
        destruct (lower_means n cs vs IH Hvs) as (ws & Hws & H0 & H1).
        assert (Hlength : List.length vs = List.length cs) by (symmetry; apply (Forall2_same_length _ _ _ Hvs)).
        assert (Hlength' : List.length ms = List.length cs) by apply (Forall2_same_length _ _ _ Hsame).
        exists (sum ws / inject_Z (Z.of_nat (List.length cs))). split.
        + assert (Hm : 0 < inject_Z (Z.of_nat (List.length cs))).
          { rewrite <- Hlength'. destruct ms; [contradiction|]. unfold Qlt, inject_Z. simpl. lia. }
          apply Q.max_lub; [apply Qle_shift_div_l; [assumption|lra]|]. apply Qle_shift_div_l; [assumption|].
          unfold no_better in Hmean. rewrite Hlength in Hmean.
          set (m := inject_Z (Z.of_nat (List.length cs))) in *.
          assert (Hvm : v * m <= sum vs).
          { assert (E : sum vs == sum vs / m * m) by (field; lra). rewrite E. apply Qmult_le_compat_r; lra. }
          destruct Hprogress as [Hzero|Hrank].
          * destruct (loss_bounds (S n) (R c)) as [Hl _]. set (z := loss (S n) (R c)) in *. nra.
          * assert (Hw : sum (map weight (map R cs)) <= shrink * weight (R c) * m).
            { subst m. rewrite <- (map_length R cs). apply weights_shrink.
              - specialize (Hrank cs Hcs). apply existsb_exists in Hrank as (c' & Hc' & Hlt). apply Nat.ltb_lt in Hlt.
                exists (R c'). split; [apply in_map, Hc'|exact Hlt].
              - apply (Hhighest c v Hin).
              - rewrite map_length. apply (Hmost e cs Hin' Hcs). }
            destruct Hdearest as [Hd _]. destruct shrink_bounds as [Hs Hs1]. destruct (pow_zero_side shrink n Hs Hs1) as [Hp _].
            assert (Hk : 0 <= 2 * dearest * pow shrink n) by nra.
            subst loss. cbv beta. cbn [pow].
            set (k := 2 * dearest * pow shrink n) in *. set (y := sum (map weight (map R cs))) in *.
            assert (k * y <= k * (shrink * weight (R c) * m)) by (rewrite !(Qmult_comm k); apply Qmult_le_compat_r; assumption).
            assert (E : 2 * dearest * (shrink * pow shrink n) * weight (R c) * m == k * (shrink * weight (R c) * m)) by (subst k; ring).
            assert (E' : (v - 2 * dearest * (shrink * pow shrink n) * weight (R c)) * m ==
                         v * m - 2 * dearest * (shrink * pow shrink n) * weight (R c) * m) by ring.
            rewrite E', E. lra.
        + exists ms, ws. split; [assumption|]. split; [assumption|]. split.
          * eapply Forall2_implies; [|exact (Forall2_compose _ _ _ _ _ Hsame Hws)].
            intros m w (c' & _ & Hs & Hw). eapply same_at_least; [exact Hs|exact Hw].
          * rewrite Hlength'. reflexivity.
    Qed.

    Lemma lower_limit c v e : worth_of t (aim q) (claims_map l) c = Done v -> 0 < e ->
      exists n w, v - e <= w /\ at_least rules q n (state_of t c) w.
    Proof.
      intros H He. destruct x_bounds as (Hx & Hx2 & _). destruct (pow_bounds x highest) as [H0 H1]; [assumption|lra|].
      destruct Hdearest as [Hd _].
      destruct (powers_vanish (pow x highest) (2 * dearest) e H0 H1) as (n & Hn); [lra|assumption|].
      exists n, (low n c v). split; [|apply lower_bound, H].
      pose proof (Q.le_max_r 0 (v - loss n (R c))) as H3. fold (low n c v) in H3.
      destruct (loss_bounds n (R c)) as [_ H4]. fold shrink in Hn. lra.
    Qed.
  End Lower.
End Right.

(** ** The theorem *)

Theorem check_endless_proves_the_value suggested ranks rules q s v :
  check_endless suggested ranks rules q s = Done v -> endless_value rules q v.
Proof.
  intros H. unfold check_endless in H. apply bind_done in H as (t & Et & H).
  pose proof (make_tables_right _ _ _ _ Et) as Ht.
  apply bind_done in H as (c & Ec & H). apply bind_done in H as (table & _ & H).
  apply bind_done in H as (l & _ & H). apply bind_done in H as (found & Hfound & H). apply collect_done in Hfound.
  apply bind_done in H as (u & Hprogress & H). apply require_done in Hprogress.
  apply bind_done in H as (table' & _ & H). apply bind_done in H as (l' & _ & H).
  apply bind_done in H as (found' & Hfound' & H). apply collect_done in Hfound'.
  apply bind_done in H as (lower & Hlower & H). apply bind_done in H as (upper & Hupper & H).
  apply bind_done in H as (u1 & E1 & H). apply bind_done in H as (u2 & E2 & H). apply done_equal in H. subst v.
  apply require_done, Qeq_bool_iff in E1, E2.
  pose proof (start_code_right rules q t Ht _ Ec) as Hstart.
  split; [|split].
  - destruct (tables_compiled _ _ _ Ht) as (s' & H). apply (rules_stratified s' rules _ H).
  - intros n. apply (same_at_most rules q _ _ _ _ Hstart). apply (at_most_larger _ _ _ _ upper); [rewrite Qred_correct, E2; apply Qle_refl|].
    eapply (upper_bound rules q t Ht); [apply (opponents_advice_right rules q t Ht)|exact Hfound'|exact Hupper].
  - intros e He.
    destruct (largest (fun cs : list code => List.length cs) (flat_map next_codes found)) as (most & Hmost).
    destruct (largest (fun cv : code * Q => rank (claims_map l) (ranks found) (fst cv)) l) as (highest & Hhighest).
    assert (Hdear : exists m, 0 <= m /\ forall c v, In (c, v) l -> v <= m).
    { clear. induction l as [|[c v] l (m & Hm & H)]; [exists 0; split; [lra|intros c v []]|].
      exists (Qmax v m). pose proof (Q.le_max_l v m). pose proof (Q.le_max_r v m). split; [lra|].
      intros d w [[= <- <-]|Hin]; [assumption|]. specialize (H d w Hin). lra. }
    destruct Hdear as (dearest & Hdear).
    destruct (lower_limit rules q t Ht _ (player_advice_right rules q t Ht table) l found (ranks found) Hfound Hprogress most highest dearest)
      with (c := c) (v := lower) (e := e) as (n & w & Hw & Hn); try assumption.
    + intros e' cs He' Hcs. assert (H : In cs (flat_map next_codes found)) by (apply in_flat_map; eauto). specialize (Hmost cs H). lia.
    + intros c' v' Hin. apply (Hhighest (c', v') Hin).
    + exists n. apply (same_at_least rules q _ _ _ _ Hstart). apply (at_least_smaller _ _ _ _ w); [|assumption].
      rewrite Qred_correct. rewrite E1 in Hw. exact Hw.
Qed.
