(** * A checker of strategies, and its proof

    [check] follows the strategy of the role against all replies, and that of its opponents against all moves of
    the role. Each gives a bound. If both bounds are equal, this is the value: [check_proves_the_value]. Nothing
    about the strategies is believed. *)

Require Import Rules Stable Evaluate Game Value.
From Coq Require Import PArith FMapPositive MSetPositive Lia Lqa QArith.
Open Scope string_scope.
Open Scope list_scope.

(** ** Strategies: docs/strategy-format.md *)

Record position := Position {
  facts : list ground;
  steps_left : option nat;              (** [None]: any number *)
  claim : option Q                      (** the value that the position claims to have *)
}.

Record answer := Answer {
  to_move : ground;                     (** a move of the role *)
  replies : list (ground * ground);     (** a move for each opponent *)
  answer_claim : option Q
}.

Record strategy := Strategy {
  player : list (position * ground);            (** the role's side: a move in each position *)
  opponents : list (position * list answer);    (** the opponents' side: answers in each position *)
  promise : Q                                   (** the value of the start *)
}.

(** ** A game in tables *)

(** A term [f] for which (true f) may hold, and the numbers of (true f), (next f) and (init f). *)
Record fluent := Fluent {
  fluent_term : ground; true_number : positive; next_number : option positive; init_number : option positive
}.

(** A move that may be legal, and the numbers of (legal r m) and (does r m). *)
Record move := Move { move_term : ground; legal_number : positive; does_number : positive }.

Record tables := Tables {
  compiled : ground_program;
  fluents : list fluent;
  own_moves : list move;
  others : list (ground * list move);           (** the opponents and their moves *)
  chance_moves : option (list move);            (** those of random; [None] if it is no role *)
  terminal_number : option positive;
  goal_numbers : list (ground * positive)       (** goals of the role and the numbers of (goal r g) *)
}.

Definition holds_number (set : PositiveSet.t) (i : option positive) : bool :=
  match i with Some i => has set i | None => false end.

(** The model of the rules without facts. *)
Definition static_model (p : ground_program) : option PositiveSet.t :=
  match evaluate_before p [] with Some d => evaluate_after p d [] | None => None end.

Definition find_fluents (p : ground_program) (known : list ground) : list fluent :=
  flat_map (fun g => match g, number p g with
                     | Ground "true" [f], Some i =>
                         [Fluent f i (number p (Ground "next" [f])) (number p (Ground "init" [f]))]
                     | _, _ => []
                     end) known.

(** Whether what can be true next or initially can be true. *)
Definition fluents_complete (p : ground_program) (known : list ground) : bool :=
  forallb (fun g => match g with
                    | Ground "next" [f] | Ground "init" [f] =>
                        match number p (Ground "true" [f]) with Some _ => true | None => false end
                    | _ => true
                    end) known.

Definition find_moves (p : ground_program) (known : list ground) (r : ground) : result (list move) :=
  found <- collect (fun g => match g, number p g with
                             | Ground "legal" [s; m], Some i =>
                                 if ground_eqb r s then
                                   match number p (Ground "does" [r; m]) with
                                   | Some j => Done [Move m i j]
                                   | None => Refused "a move that may be legal was not foreseen"
                                   end
                                 else Done []
                             | _, _ => Done []
                             end) known;
  Done (List.concat found).

Definition find_roles (p : ground_program) (known : list ground) (set : PositiveSet.t) : list ground :=
  flat_map (fun g => match g with
                     | Ground "role" [r] => if holds_number set (number p g) then [r] else []
                     | _ => []
                     end) known.

Definition find_goals (p : ground_program) (known : list ground) (r : ground) : list (ground * positive) :=
  flat_map (fun g => match g, number p g with
                     | Ground "goal" [s; v], Some i => if ground_eqb r s then [(v, i)] else []
                     | _, _ => []
                     end) known.

Definition member (g : ground) (l : list ground) : bool := existsb (ground_eqb g) l.

Fixpoint no_duplicates (l : list ground) : bool :=
  match l with
  | [] => true
  | g :: l => negb (member g l) && no_duplicates l
  end.

Definition make_tables (s : suggestions) (rules : program) (who : ground) : result tables :=
  p <- ground_rules s rules;
  let known := known_atoms s in
  ensure require (fluents_complete p known) "a fact that may become true was not foreseen";
  match static_model p with
  | None => Refused "the rules cannot be evaluated"
  | Some set =>
      let roles := find_roles p known set in
      ensure require (member who roles) "the strategy is for a role that the game does not have";
      ensure require (negb (ground_eqb who random)) "the strategy is for the role random";
      ensure require (no_duplicates roles) "a role is listed twice";
      own <- find_moves p known who;
      others <- collect (fun r => moves <- find_moves p known r; Done (r, moves))
                  (filter (fun r => negb (ground_eqb r who) && negb (ground_eqb r random)) roles);
      chance <- (if member random roles then moves <- find_moves p known random; Done (Some moves)
                 else Done None);
      ensure require (match chance with Some moves => no_duplicates (map move_term moves) | None => true end)
              "a move of random is listed twice";
      Done (Tables p (find_fluents p known) own others chance (number p (Ground "terminal" []))
              (find_goals p known who))
  end.

(** ** States *)

(** A state is a number: its binary digits, from the last one on, say which fluents hold; a 1 ends them. *)
Definition code := positive.

Fixpoint encode (test : fluent -> bool) (l : list fluent) : code :=
  match l with
  | [] => xH
  | f :: l => if test f then xI (encode test l) else xO (encode test l)
  end.

Fixpoint decode (l : list fluent) (c : code) : list fluent :=
  match l, c with
  | f :: l, xI c => f :: decode l c
  | _ :: l, xO c => decode l c
  | _, _ => []
  end.

Definition true_facts (t : tables) (c : code) : list positive := map true_number (decode (fluents t) c).

Definition next_code (t : tables) (set : PositiveSet.t) : code :=
  encode (fun f => holds_number set (next_number f)) (fluents t).

Definition initial_code (t : tables) : result code :=
  match static_model (compiled t) with
  | Some set => Done (encode (fun f => holds_number set (init_number f)) (fluents t))
  | None => Refused "the rules cannot be evaluated"
  end.

(** The code of a list of facts. *)
Definition facts_set (p : ground_program) (l : list ground) : result PositiveSet.t :=
  numbers <- collect (fun f => match number p (Ground "true" [f]) with
                               | Some i => Done i
                               | None => Refused ("no state has the fact " ++ show f)
                               end) l;
  Done (fold_left (fun set i => PositiveSet.add i set) numbers PositiveSet.empty).

Definition code_of (t : tables) (l : list ground) : result code :=
  set <- facts_set (compiled t) l;
  Done (encode (fun f => has set (true_number f)) (fluents t)).

(** ** Moves in a state *)

Definition legal_moves (set : PositiveSet.t) (moves : list move) : list move :=
  filter (fun m => has set (legal_number m)) moves.

(** All ways to take one move for each role. *)
Fixpoint products (l : list (ground * list move)) : list (list (ground * move)) :=
  match l with
  | [] => [[]]
  | (r, moves) :: l => flat_map (fun m => map (cons (r, m)) (products l)) moves
  end.

Definition all_replies (t : tables) (set : PositiveSet.t) : list (list (ground * move)) :=
  products (map (fun rm : ground * list move => (fst rm, legal_moves set (snd rm))) (others t)).

(** The moves of random, each with the numbers of its facts. *)
Definition outcomes (t : tables) (set : PositiveSet.t) : list (ground * list positive) :=
  match chance_moves t with
  | None => [(random, [])]
  | Some moves => map (fun m => (move_term m, [does_number m])) (legal_moves set moves)
  end.

Definition find_move (l : list move) (m : ground) : option move :=
  find (fun x => ground_eqb (move_term x) m) l.

(** What a position of a side leads to: a move of the role and a reply, and the value that this claims to have. *)
Record alternative := Alternative { own : move; reply_moves : list (ground * move); worth : option Q }.

Definition reply_numbers (l : list (ground * move)) : list positive :=
  map (fun rm : ground * move => does_number (snd rm)) l.

(** ** Positions in a table *)

(** What is listed for a state, by the steps left. *)
Definition listing (A : Type) := PositiveMap.t (list (option nat * (option Q * A))).

Definition same_steps (m n : option nat) : bool :=
  match m, n with
  | Some m, Some n => Nat.eqb m n
  | None, None => true
  | _, _ => false
  end.

Definition lookup_steps {A} (n : option nat) (l : list (option nat * A)) : option A :=
  match find (fun x : option nat * A => same_steps n (fst x)) l with Some x => Some (snd x) | None => None end.

Fixpoint list_positions {A} (t : tables) (l : list (position * A)) (table : listing A) : result (listing A) :=
  match l with
  | [] => Done table
  | (p, a) :: l =>
      c <- code_of t (facts p);
      let here := match PositiveMap.find c table with Some here => here | None => [] end in
      match lookup_steps (steps_left p) here with
      | Some _ => Refused ("this position is listed twice: " ++ show_all (facts p))
      | None => list_positions t l (PositiveMap.add c ((steps_left p, (claim p, a)) :: here) table)
      end
  end.

Definition listed {A} (table : listing A) (n : nat) (c : code) : option (option Q * A) :=
  match PositiveMap.find c table with
  | None => None
  | Some here =>
      match lookup_steps (Some n) here with
      | Some a => Some a
      | None => lookup_steps None here
      end
  end.

(** ** Bounds *)

(** Bounds that were proved, by state and steps left. *)
Definition memory := PositiveMap.t (list (nat * Q)).

Definition recall (m : memory) (n : nat) (c : code) : option Q :=
  match PositiveMap.find c m with
  | None => None
  | Some l => match find (fun x : nat * Q => Nat.eqb n (fst x)) l with Some x => Some (snd x) | None => None end
  end.

Definition remember (m : memory) (n : nat) (c : code) (v : Q) : memory :=
  PositiveMap.add c ((n, v) :: match PositiveMap.find c m with Some l => l | None => [] end) m.

(** The number of points, if there is one goal. *)
Definition only_points (goals : list ground) : result Q :=
  match goals with
  | [g] =>
      match points_of g with
      | Some n => Done (inject_Z (Z.of_N n))
      | None => Refused ("the goal " ++ show g ++ " is no whole number from 0 on")
      end
  | _ => Refused "the role does not have exactly one number of points at the end"
  end.

(** What a terminal state is worth, by the goals that hold. *)
Definition payoff_of (o : objective) (goals : list ground) : result Q :=
  match o with
  | Win => Done (if member (Ground "100" []) goals then 1 else 0)
  | AtLeast points =>
      Done (if existsb (fun g => match points_of g with Some n => N.leb points n | None => false end) goals
            then 1 else 0)
  | Points => only_points goals
  | Score => v <- only_points goals; Done (v / 100)
  end.

Definition claim_holds (claimed : option Q) (v : Q) : bool :=
  match claimed with Some w => Qeq_bool v w | None => true end.

Definition mean_of (values : list Q) : Q := Qred (sum values / inject_Z (Z.of_nat (List.length values))).

(** The smaller number for the role's side, the larger for its opponents'. *)
Inductive side := RoleSide | OpponentsSide.

Definition worse (s : side) (v w : Q) : Q :=
  match s with
  | RoleSide => if Qle_bool v w then v else w
  | OpponentsSide => if Qle_bool v w then w else v
  end.

Definition worst (s : side) (values : list Q) : Q :=
  match values with
  | [] => 0
  | v :: values => fold_left (worse s) values v
  end.

Section Bounds.
  Variable t : tables.
  Variable aim : objective.
  Variable s : side.

  (** What the strategy says for a state, given its model. *)
  Variable advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative).

  Definition refuse_at {A} (c : code) (n : nat) (why : string) : result A :=
    Refused (why ++ " in the state " ++ show_all (map fluent_term (decode (fluents t) c)) ++
             " with " ++ show_nat n ++ " steps left")%string.

  Section Step.
    (** Bounds with one step less. *)
    Variable bound : code -> memory -> result (Q * memory).

    (** The bounds of the states after all moves of random. *)
    Fixpoint outcome_bounds (d : derived) (moves : list positive) (l : list (ground * list positive)) (m : memory)
      : result (list Q * memory) :=
      match l with
      | [] => Done ([], m)
      | (_, more) :: l =>
          match evaluate_after (compiled t) d (moves ++ more) with
          | None => Refused "the rules cannot be evaluated"
          | Some set =>
              vm <- bound (next_code t set) m;
              vsm <- outcome_bounds d moves l (snd vm);
              Done (fst vm :: fst vsm, snd vsm)
          end
      end.

    Fixpoint alternative_bounds (d : derived) (chance : list (ground * list positive)) (l : list alternative) (m : memory)
      : result (list Q * memory) :=
      match l with
      | [] => Done ([], m)
      | a :: l =>
          vsm <- outcome_bounds d (does_number (own a) :: reply_numbers (reply_moves a)) chance m;
          let v := mean_of (fst vsm) in
          ensure require (claim_holds (worth a) v)
                  ("the move " ++ show (move_term (own a)) ++ " is not worth what it claims")%string;
          rest <- alternative_bounds d chance l (snd vsm);
          Done (v :: fst rest, snd rest)
      end.
  End Step.

  (** The value of a state within [n] steps, if this side follows its strategy. *)
  Fixpoint bound (n : nat) (c : code) (m : memory) : result (Q * memory) :=
    match recall m n c with
    | Some v => Done (v, m)
    | None =>
        match evaluate_before (compiled t) (true_facts t c) with
        | None => refuse_at c n "the rules cannot be evaluated"
        | Some d =>
            match evaluate_after (compiled t) d [] with
            | None => refuse_at c n "the rules cannot be evaluated"
            | Some set =>
                vm <- (if holds_number set (terminal_number t) then
                         v <- payoff_of aim (map fst (filter (fun g => has set (snd g)) (goal_numbers t)));
                         Done (v, m)
                       else
                         match n with
                         | O => Done (0, m)
                         | S k =>
                             said <- advice n c set;
                             match snd said with
                             | [] => refuse_at c n "a role has no legal move"
                             | alternatives =>
                                 match outcomes t set with
                                 | [] => refuse_at c n "random has no legal move"
                                 | chance =>
                                     vsm <- alternative_bounds (bound k) d chance alternatives m;
                                     let v := worst s (fst vsm) in
                                     if claim_holds (fst said) v then Done (v, snd vsm)
                                     else refuse_at c n "this position is not worth what it claims"
                                 end
                             end
                         end);
                Done (fst vm, remember (snd vm) n c (fst vm))
            end
        end
    end.
End Bounds.

(** ** Both sides *)

(** The role makes the move that is listed; all replies are tried. *)
Definition player_advice (t : tables) (table : listing ground) (n : nat) (c : code) (set : PositiveSet.t)
  : result (option Q * list alternative) :=
  match listed table n c with
  | None => refuse_at t c n "the role's side is wrong: nothing is listed"
  | Some (claimed, m) =>
      match find_move (legal_moves set (own_moves t)) m with
      | None => refuse_at t c n ("the role's side is wrong: the move " ++ show m ++ " is not legal")%string
      | Some own => Done (claimed, map (fun reply => Alternative own reply None) (all_replies t set))
      end
  end.

(** All moves of the role are tried; each gets the reply that is listed. *)
Definition find_reply (set : PositiveSet.t) (said : list (ground * ground)) (r : ground * list move)
  : result (ground * move) :=
  match find (fun x : ground * ground => ground_eqb (fst r) (fst x)) said with
  | None => Refused ("there is no reply of " ++ show (fst r))%string
  | Some x =>
      match find_move (legal_moves set (snd r)) (snd x) with
      | None => Refused ("the reply " ++ show (snd x) ++ " of " ++ show (fst r) ++ " is not legal")%string
      | Some m => Done (fst r, m)
      end
  end.

Definition answer_to (t : tables) (set : PositiveSet.t) (answers : list answer) (own : move) : result alternative :=
  match find (fun a => ground_eqb (to_move a) (move_term own)) answers with
  | None => Refused ("there is no answer to the move " ++ show (move_term own))%string
  | Some a =>
      reply <- collect (find_reply set (replies a)) (others t);
      Done (Alternative own reply (answer_claim a))
  end.

(** Where there are no opponents, positions that are not listed need no answers. *)
Definition opponents_advice (t : tables) (table : listing (list answer)) (n : nat) (c : code) (set : PositiveSet.t)
  : result (option Q * list alternative) :=
  let moves := legal_moves set (own_moves t) in
  match listed table n c, others t with
  | None, _ :: _ => refuse_at t c n "the opponents' side is wrong: nothing is listed"
  | None, [] => Done (None, map (fun own => Alternative own [] None) moves)
  | Some (claimed, answers), _ =>
      match collect (answer_to t set answers) moves with
      | Done alternatives => Done (claimed, alternatives)
      | Refused why => refuse_at t c n ("the opponents' side is wrong: " ++ why)%string
      end
  end.

Definition start_code (t : tables) (q : question) : result code :=
  match start q with
  | None => initial_code t
  | Some facts => code_of t facts
  end.

(** The value of the question, if the strategy proves it. *)
Definition check (suggested : suggestions) (rules : program) (q : question) (s : strategy) : result Q :=
  t <- make_tables suggested rules (who q);
  c <- start_code t q;
  player_table <- list_positions t (player s) (PositiveMap.empty _);
  lower <- bound t (aim q) RoleSide (player_advice t player_table) (steps q) c (PositiveMap.empty _);
  opponents_table <- list_positions t (opponents s) (PositiveMap.empty _);
  upper <- bound t (aim q) OpponentsSide (opponents_advice t opponents_table) (steps q) c (PositiveMap.empty _);
  ensure require (Qeq_bool (fst lower) (promise s)) "the role's side does not guarantee the value that is promised";
  ensure require (Qeq_bool (fst upper) (promise s)) "the opponents' side does not keep to the value that is promised";
  Done (Qred (promise s)).

(** ** Proofs: values depend on the elements of a state only *)

Lemma mean_of_equal (set set' : ground -> Prop) (f g : ground -> Q -> Prop) v :
  (forall m, set m <-> set' m) -> (forall m w, f m w -> g m w) -> mean set f v -> mean set' g v.
Proof.
  intros Hset Hf (ms & vs & [Hn Hm] & H). destruct H as (Hne & Hall & Hv). exists ms, vs. repeat split; try assumption.
  - intros H. apply Hset, Hm, H.
  - intros H. apply Hm, Hset, H.
  - eapply Forall2_implies; [|exact Hall]. exact Hf.
Qed.

Section EqualStates.
  Variable rules : program.
  Variable q : question.

  Definition same (s s' : state) : Prop := forall f, s f <-> s' f.

  Lemma same_symmetric s s' : same s s' -> same s' s.
  Proof. intros H f. symmetry. apply H. Qed.

  Lemma same_facts s s' : same s s' -> forall a, state_facts s a <-> state_facts s' a.
  Proof. intros H a. split; intros (f & Hf & ->); exists f; (split; [apply H, Hf|reflexivity]). Qed.

  Lemma same_legal s s' r m : same s s' -> legal rules s r m <-> legal rules s' r m.
  Proof. intros H. apply model_of_equal_facts, same_facts, H. Qed.

  Lemma same_terminal s s' : same s s' -> terminal rules s <-> terminal rules s'.
  Proof. intros H. apply model_of_equal_facts, same_facts, H. Qed.

  Lemma same_goal s s' r g : same s s' -> goal rules s r g <-> goal rules s' r g.
  Proof. intros H. apply model_of_equal_facts, same_facts, H. Qed.

  Lemma same_next s s' moves : same s s' -> same (next_state rules s moves) (next_state rules s' moves).
  Proof. intros H f. apply model_of_equal_facts. intros a. rewrite (same_facts s s' H a). reflexivity. Qed.

  Lemma same_reply s s' o : same s s' -> reply rules q s o -> reply rules q s' o.
  Proof. intros H Ho r Hr. apply (same_legal s s' r (o r) H), Ho, Hr. Qed.

  Lemma same_chance s s' m : same s s' -> chance rules s m <-> chance rules s' m.
  Proof. intros H. unfold chance. rewrite (same_legal s s' random m H). reflexivity. Qed.

  Lemma same_payoff s s' v : same s s' -> payoff rules q s v -> payoff rules q s' v.
  Proof.
    intros H. unfold payoff. destruct (aim q).
    - rewrite (same_goal s s' _ _ H). auto.
    - assert (E : (exists g n, goal rules s (who q) g /\ points_of g = Some n /\ (points <= n)%N) <->
                  (exists g n, goal rules s' (who q) g /\ points_of g = Some n /\ (points <= n)%N)).
      { split; intros (g & n & Hg & Hn); exists g, n; (split; [apply (same_goal s s' _ _ H), Hg|assumption]). }
      rewrite E. auto.
    - intros (g & n & Hg & Hu & Hn). exists g, n. split; [apply (same_goal s s' _ _ H), Hg|].
      split; [|assumption]. intros h Hh. apply Hu, (same_goal s s' _ _ H), Hh.
    - intros (g & n & Hg & Hu & Hn). exists g, n. split; [apply (same_goal s s' _ _ H), Hg|].
      split; [|assumption]. intros h Hh. apply Hu, (same_goal s s' _ _ H), Hh.
  Qed.

  Lemma same_at_least n : forall s s' v, same s s' -> at_least rules q n s v -> at_least rules q n s' v.
  Proof.
    induction n as [|n IH]; intros s s' v H; simpl; rewrite (same_terminal s s' H).
    - intros [[T (w & Hw & Hv)]|[T Hv]]; [left|right]; (split; [assumption|]); eauto using same_payoff.
    - intros [[T (w & Hw & Hv)]|[T (a & Ha & (o & Ho) & Hv)]]; [left; split; eauto using same_payoff|right].
      split; [assumption|]. exists a. split; [apply (same_legal s s' _ _ H), Ha|].
      split; [exists o; eauto using same_reply|]. intros o' Ho'.
      destruct (Hv o' (same_reply _ _ _ (same_symmetric _ _ H) Ho')) as (w & Hw & Hm). exists w. split; [assumption|].
      eapply mean_of_equal; [| |exact Hm]; [intros m; apply same_chance, H|].
      intros m x. apply IH, same_next, H.
  Qed.

  Lemma same_at_most n : forall s s' v, same s s' -> at_most rules q n s v -> at_most rules q n s' v.
  Proof.
    induction n as [|n IH]; intros s s' v H; simpl; rewrite (same_terminal s s' H).
    - intros [[T (w & Hw & Hv)]|[T Hv]]; [left|right]; (split; [assumption|]); eauto using same_payoff.
    - intros [[T (w & Hw & Hv)]|[T [(a & Ha) Hv]]]; [left; split; eauto using same_payoff|right].
      split; [assumption|]. split; [exists a; apply (same_legal s s' _ _ H), Ha|]. intros b Hb.
      destruct (Hv b) as (o & Ho & w & Hw & Hm); [apply (same_legal s s' _ _ H), Hb|].
      exists o. split; [eauto using same_reply|]. exists w. split; [assumption|].
      eapply mean_of_equal; [| |exact Hm]; [intros m; apply same_chance, H|].
      intros m x. apply IH, same_next, H.
  Qed.
End EqualStates.

(** ** Proofs: the tables are right *)

Lemma member_iff g l : member g l = true <-> In g l.
Proof.
  unfold member. rewrite existsb_exists. split.
  - intros (h & Hh & E). apply ground_eqb_spec in E as ->. assumption.
  - intros H. exists g. split; [assumption|]. apply ground_eqb_refl.
Qed.

Lemma no_duplicates_sound l : no_duplicates l = true -> NoDup l.
Proof.
  induction l as [|g l IH]; simpl; [constructor|]. rewrite andb_true_iff, negb_true_iff. intros [Hg Hl].
  constructor; [|auto]. rewrite <- member_iff. congruence.
Qed.

(** All moves of a role that may be legal, with their numbers. *)
Definition moves_right (p : ground_program) (r : ground) (l : list move) : Prop :=
  (forall m, In m l -> number p (Ground "legal" [r; move_term m]) = Some (legal_number m) /\
                       number p (Ground "does" [r; move_term m]) = Some (does_number m)) /\
  (forall x i, number p (Ground "legal" [r; x]) = Some i -> exists m, In m l /\ move_term m = x).

Record right_tables (rules : program) (w : ground) (t : tables) : Prop := {
  tables_compiled : exists s, ground_rules s rules = Done (compiled t);
  tables_who : role rules w;
  tables_not_random : w <> random;
  tables_fluents : forall f, In f (fluents t) ->
    number (compiled t) (Ground "true" [fluent_term f]) = Some (true_number f) /\
    number (compiled t) (Ground "next" [fluent_term f]) = next_number f /\
    number (compiled t) (Ground "init" [fluent_term f]) = init_number f;
  tables_true : forall f i, number (compiled t) (Ground "true" [f]) = Some i ->
    exists x, In x (fluents t) /\ fluent_term x = f;
  tables_next : forall f i, number (compiled t) (Ground "next" [f]) = Some i ->
    exists x, In x (fluents t) /\ fluent_term x = f;
  tables_init : forall f i, number (compiled t) (Ground "init" [f]) = Some i ->
    exists x, In x (fluents t) /\ fluent_term x = f;
  tables_own : moves_right (compiled t) w (own_moves t);
  tables_others : forall r moves, In (r, moves) (others t) -> moves_right (compiled t) r moves;
  tables_opponents : forall r, In r (map fst (others t)) <-> role rules r /\ r <> w /\ r <> random;
  tables_distinct : NoDup (map fst (others t));
  tables_chance : match chance_moves t with
                  | None => ~ role rules random
                  | Some moves => role rules random /\ moves_right (compiled t) random moves /\ NoDup (map move_term moves)
                  end;
  tables_terminal : terminal_number t = number (compiled t) (Ground "terminal" []);
  tables_goals : forall g i, In (g, i) (goal_numbers t) <-> number (compiled t) (Ground "goal" [w; g]) = Some i
}.

Lemma holds_number_iff s rules p set a : ground_rules s rules = Done p ->
  holds_number set (number p a) = true <-> holds p set a.
Proof.
  intros H. unfold holds. destruct (number p a) as [i|] eqn:E; simpl.
  - split.
    + intros Hi. exists i. split; [apply (number_iff s rules p H), E|assumption].
    + intros (j & Hj & Hhas). apply (number_iff s rules p H) in Hj. congruence.
  - split; [discriminate|]. intros (j & Hj & _). apply (number_iff s rules p H) in Hj. congruence.
Qed.

Lemma collect_in {A B} (f : A -> result (list B)) l bss b : collect f l = Done bss ->
  In b (List.concat bss) <-> exists a bs, In a l /\ f a = Done bs /\ In b bs.
Proof.
  intros H. apply collect_done in H. rewrite in_concat. split.
  - intros (bs & Hbs & Hb). destruct (Forall2_right _ _ _ _ H Hbs) as (a & Ha & E). eauto.
  - intros (a & bs & Ha & E & Hb). destruct (Forall2_left _ _ _ _ H Ha) as (bs' & Hbs' & E'). exists bs'.
    split; [assumption|]. congruence.
Qed.

(** From [In a (match ... end)] to the cases that have an element. *)
Ltac cases_of H :=
  repeat match type of H with In _ (match ?x with _ => _ end) => destruct x eqn:?; try (destruct H; fail) end.

Section Tables.
  Variable s : suggestions.
  Variable rules : program.
  Variable p : ground_program.
  Hypothesis Hground : ground_rules s rules = Done p.

  Lemma find_moves_right r l : find_moves p (known_atoms s) r = Done l -> moves_right p r l.
  Proof.
    unfold find_moves. intros H. steps_of H. subst l.
    assert (Hin : forall m, In m (List.concat r0) <->
              number p (Ground "legal" [r; move_term m]) = Some (legal_number m) /\
              number p (Ground "does" [r; move_term m]) = Some (does_number m)).
    { intros m. rewrite (collect_in _ _ _ m E). split.
      - intros (g & ms & Hg & Em & Hm).
        repeat match type of Em with
               | match ?x with _ => _ end = _ => destruct x eqn:?; try (injection Em as <-; destruct Hm)
               | (if ?x then _ else _) = _ => destruct x eqn:?; try (injection Em as <-; destruct Hm)
               end; try discriminate.
        + subst. match goal with H : ground_eqb _ _ = true |- _ => apply ground_eqb_spec in H; subst end. simpl. auto.
        + destruct H.
      - intros [Hl Hd]. exists (Ground "legal" [r; move_term m]), [m].
        split; [apply (known_numbers s rules p Hground _ _ Hl)|]. rewrite Hl, ground_eqb_refl, Hd.
        split; [destruct m; reflexivity|left; reflexivity]. }
    split.
    - intros m Hm. apply Hin, Hm.
    - intros x i Hx. pose proof (known_numbers s rules p Hground _ _ Hx) as Hk. apply collect_done in E.
      destruct (Forall2_left _ _ _ _ E Hk) as (ms & Hms & Em). rewrite Hx, ground_eqb_refl in Em.
      destruct (number p (Ground "does" [r; x])) as [j|] eqn:Ej; [|discriminate]. injection Em as <-.
      exists (Move x i j). split; [|reflexivity]. apply Hin. auto.
  Qed.

  Lemma static_model_right set : static_model p = Some set -> forall a, holds p set a <-> model rules none a.
  Proof.
    unfold static_model. destruct (evaluate_before p []) as [d|] eqn:Ed; [|discriminate]. intros Es a.
    rewrite (evaluate_is_model s rules p Hground _ _ _ _ Ed Es). apply model_of_equal_facts.
    intros b. unfold atoms_of, none. split; [intros [(i & [] & _)|(i & [] & _)]|intros []].
  Qed.

  Lemma find_fluents_in f : In f (find_fluents p (known_atoms s)) <->
    number p (Ground "true" [fluent_term f]) = Some (true_number f) /\
    number p (Ground "next" [fluent_term f]) = next_number f /\
    number p (Ground "init" [fluent_term f]) = init_number f.
  Proof.
    unfold find_fluents. rewrite in_flat_map. split.
    - intros (g & Hg & Hf).
      cases_of Hf.
      destruct Hf as [<-|[]]. subst. auto.
    - intros (Ht & Hn & Hi). exists (Ground "true" [fluent_term f]).
      split; [apply (known_numbers s rules p Hground _ _ Ht)|]. rewrite Ht, Hn, Hi. left. destruct f; reflexivity.
  Qed.

  Lemma fluent_exists f i : number p (Ground "true" [f]) = Some i ->
    exists x, In x (find_fluents p (known_atoms s)) /\ fluent_term x = f.
  Proof.
    intros H. exists (Fluent f i (number p (Ground "next" [f])) (number p (Ground "init" [f]))).
    split; [apply find_fluents_in; simpl; auto|reflexivity].
  Qed.

  Lemma fluents_complete_right : fluents_complete p (known_atoms s) = true -> forall f i,
    number p (Ground "next" [f]) = Some i \/ number p (Ground "init" [f]) = Some i ->
    exists x, In x (find_fluents p (known_atoms s)) /\ fluent_term x = f.
  Proof.
    unfold fluents_complete. rewrite forallb_forall. intros H f i [Hi|Hi];
      pose proof (known_numbers s rules p Hground _ _ Hi) as Hk; specialize (H _ Hk); simpl in H;
      (destruct (number p (Ground "true" [f])) as [j|] eqn:Ej; [eapply fluent_exists, Ej|discriminate]).
  Qed.

  Lemma find_roles_in set r : static_model p = Some set ->
    In r (find_roles p (known_atoms s) set) <-> role rules r.
  Proof.
    intros Hs. unfold role. rewrite <- (static_model_right set Hs), <- (holds_number_iff s rules p set _ Hground).
    unfold find_roles. rewrite in_flat_map. split.
    - intros (g & Hg & Hf).
      cases_of Hf.
      destruct Hf as [<-|[]]. subst. assumption.
    - intros H. exists (Ground "role" [r]). split; [|rewrite H; left; reflexivity].
      destruct (number p (Ground "role" [r])) as [i|] eqn:E; [|discriminate].
      apply (known_numbers s rules p Hground _ _ E).
  Qed.

  Lemma find_goals_in r g i : In (g, i) (find_goals p (known_atoms s) r) <-> number p (Ground "goal" [r; g]) = Some i.
  Proof.
    unfold find_goals. rewrite in_flat_map. split.
    - intros (a & Ha & Hf).
      cases_of Hf.
      match goal with H : ground_eqb _ _ = true |- _ => apply ground_eqb_spec in H end.
      destruct Hf as [[= <- <-]|[]]. subst. assumption.
    - intros H. exists (Ground "goal" [r; g]). split; [apply (known_numbers s rules p Hground _ _ H)|].
      rewrite H, ground_eqb_refl. left. reflexivity.
  Qed.
End Tables.

Lemma make_tables_right s rules w t : make_tables s rules w = Done t -> right_tables rules w t.
Proof.
  intros H. unfold make_tables in H. apply bind_done in H as (p & Hground & H).
  apply bind_done in H as (u & Hcomplete & H). apply require_done in Hcomplete.
  destruct (static_model p) as [set|] eqn:Hs; [|discriminate].
  pose proof (fun r => find_roles_in s rules p Hground set r Hs) as Hroles.
  set (roles := find_roles p (known_atoms s) set) in *. steps_of H. subst t.
  apply member_iff, Hroles in E. apply negb_true_iff in E0. apply no_duplicates_sound in E1.
  assert (Hw : w <> random) by (intros ->; rewrite ground_eqb_refl in E0; discriminate).
  assert (Hothers : map fst r3 = filter (fun r => negb (ground_eqb r w) && negb (ground_eqb r random)) roles).
  { apply collect_done in E3. clear - E3. revert E3. generalize (filter (fun r => negb (ground_eqb r w) && negb (ground_eqb r random)) roles).
    intros l E. induction E as [|x y l m Hxy _ IH]; [reflexivity|]. simpl. rewrite IH.
    apply bind_done in Hxy as (ms & _ & [= <-]). reflexivity. }
  constructor; simpl.
  - exists s. assumption.
  - assumption.
  - assumption.
  - intros f Hf. apply (find_fluents_in s rules p Hground), Hf.
  - intros f i. apply (fluent_exists s rules p Hground).
  - intros f i Hi. apply (fluents_complete_right s rules p Hground Hcomplete f i). auto.
  - intros f i Hi. apply (fluents_complete_right s rules p Hground Hcomplete f i). auto.
  - apply (find_moves_right s rules p Hground _ _ E2).
  - intros x moves Hx. apply collect_done in E3. destruct (Forall2_right _ _ _ _ E3 Hx) as (r' & _ & E6).
    apply bind_done in E6 as (ms & E6 & [= <- <-]). apply (find_moves_right s rules p Hground _ _ E6).
  - intros x. rewrite Hothers, filter_In, Hroles, andb_true_iff, !negb_true_iff, <- !not_true_iff_false, !ground_eqb_spec.
    reflexivity.
  - rewrite Hothers. apply NoDup_filter. assumption.
  - destruct (member random roles) eqn:Em.
    + apply member_iff, Hroles in Em. apply bind_done in E4 as (ms & E4 & [= <-]). split; [assumption|].
      split; [apply (find_moves_right s rules p Hground _ _ E4)|]. apply no_duplicates_sound. assumption.
    + injection E4 as <-. intros Hr. apply Hroles, member_iff in Hr. congruence.
  - reflexivity.
  - intros g i. apply (find_goals_in s rules p Hground).
Qed.

(** ** Proofs: states, moves and successors *)

Lemma decode_encode test l f : In f (decode l (encode test l)) <-> In f l /\ test f = true.
Proof.
  induction l as [|g l IH]; simpl; [intuition|].
  destruct (test g) eqn:E; simpl; rewrite IH; intuition congruence.
Qed.

Lemma decode_in l : forall c f, In f (decode l c) -> In f l.
Proof.
  induction l as [|g l IH]; intros [c|c|] f; simpl; intros H; try destruct H; eauto.
Qed.

Section Right.
  Variable rules : program.
  Variable q : question.
  Variable t : tables.
  Hypothesis Ht : right_tables rules (who q) t.
  Let p := compiled t.

  Lemma number_at i g : number p g = Some i <-> atom_at p i = Some g.
  Proof. destruct (tables_compiled _ _ _ Ht) as (s & H). apply (number_iff s rules p H). Qed.

  Lemma holds_iff set a : holds_number set (number p a) = true <-> holds p set a.
  Proof. destruct (tables_compiled _ _ _ Ht) as (s & H). apply (holds_number_iff s rules p set a H). Qed.

  Lemma holds_at set i a : number p a = Some i -> has set i = true <-> holds p set a.
  Proof. intros H. rewrite <- holds_iff, H. reflexivity. Qed.

  (** The state with a code. *)
  Definition state_of (c : code) : state := fun f => exists x, In x (decode (fluents t) c) /\ fluent_term x = f.

  Lemma true_facts_right c a : atoms_of p (true_facts t c) a <-> state_facts (state_of c) a.
  Proof.
    unfold atoms_of, true_facts, state_facts. split.
    - intros (i & Hi & Ha). apply in_map_iff in Hi as (x & <- & Hx). exists (fluent_term x).
      split; [exists x; auto|]. apply decode_in in Hx as Hin. apply (tables_fluents _ _ _ Ht) in Hin as [Hn _].
      apply number_at in Hn. congruence.
    - intros (f & (x & Hx & <-) & ->). exists (true_number x). split; [apply in_map, Hx|].
      apply number_at. apply decode_in in Hx. apply (tables_fluents _ _ _ Ht), Hx.
  Qed.

  (** What the two steps of evaluation find in a state. *)
  Lemma evaluated c d moves set : evaluate_before p (true_facts t c) = Some d -> evaluate_after p d moves = Some set ->
    forall a, holds p set a <-> model rules (fun a => state_facts (state_of c) a \/ atoms_of p moves a) a.
  Proof.
    intros Hd Hset a. destruct (tables_compiled _ _ _ Ht) as (s & H).
    rewrite (evaluate_is_model s rules p H _ _ _ _ Hd Hset). apply model_of_equal_facts.
    intros b. rewrite true_facts_right. reflexivity.
  Qed.

  Lemma evaluated_state c d set : evaluate_before p (true_facts t c) = Some d -> evaluate_after p d [] = Some set ->
    forall a, holds p set a <-> model rules (state_facts (state_of c)) a.
  Proof.
    intros Hd Hset a. rewrite (evaluated c d [] set Hd Hset). apply model_of_equal_facts.
    intros b. split; [intros [H|(i & [] & _)]; assumption|auto].
  Qed.

  (** Moves and replies that were chosen from the tables. *)
  Definition reply_right (l : list (ground * move)) (o : ground -> ground) : Prop :=
    map fst l = map fst (others t) /\
    forall r m, In (r, m) l -> number p (Ground "does" [r; move_term m]) = Some (does_number m) /\ o r = move_term m.

  Definition outcome_right (x : ground * list positive) : Prop :=
    (~ role rules random /\ snd x = []) \/
    (role rules random /\ exists i, snd x = [i] /\ number p (Ground "does" [random; fst x]) = Some i).

  Lemma moves_right_facts own l o x : In own (own_moves t) -> reply_right l o -> outcome_right x ->
    forall a, atoms_of p ((does_number own :: reply_numbers l) ++ snd x) a <->
              move_facts rules (joint rules q (move_term own) o (fst x)) a.
  Proof.
    intros Hown [Hnames Hl] Hx a.
    assert (Hown' : number p (Ground "does" [who q; move_term own]) = Some (does_number own))
      by (apply (proj1 (tables_own _ _ _ Ht)), Hown).
    unfold atoms_of, move_facts, joint. split.
    - intros (i & Hi & Ha). apply in_app_iff in Hi. destruct Hi as [[<-|Hi]|Hi].
      + exists (who q), (move_term own). split; [apply (tables_who _ _ _ Ht)|]. split; [auto|].
        apply number_at in Hown'. congruence.
      + unfold reply_numbers in Hi. apply in_map_iff in Hi as ((r & m) & <- & Hin). simpl in Ha.
        destruct (Hl r m Hin) as [Hn Ho]. apply number_at in Hn.
        assert (Hr : In r (map fst (others t))) by (rewrite <- Hnames; apply (in_map fst _ _ Hin)).
        apply (tables_opponents _ _ _ Ht) in Hr. exists r, (move_term m). split; [apply Hr|].
        split; [|congruence]. right. right. split; [exact Hr|congruence].
      + destruct Hx as [[_ Hx]|[Hr (j & Hx & Hn)]]; rewrite Hx in Hi; [destruct Hi|].
        destruct Hi as [<-|[]]. exists random, (fst x). split; [assumption|]. split.
        * right. left. split; [|auto]. intros Heq. symmetry in Heq. apply (tables_not_random _ _ _ Ht), Heq.
        * apply number_at in Hn. congruence.
    - intros (r & m & Hr & Hm & ->). destruct Hm as [[-> ->]|[(Hne & -> & ->)|[Hopp ->]]].
      + exists (does_number own). split; [left; reflexivity|]. apply number_at, Hown'.
      + destruct Hx as [[Hno _]|[_ (j & Hx & Hn)]]; [contradiction|]. exists j.
        split; [rewrite Hx; apply in_app_iff; right; left; reflexivity|]. apply number_at, Hn.
      + unfold opponent in Hopp. apply (tables_opponents _ _ _ Ht) in Hopp. rewrite <- Hnames in Hopp.
        apply in_map_iff in Hopp as ((r' & m) & Heq & Hin). simpl in Heq. subst r'.
        destruct (Hl r m Hin) as [Hn Ho]. exists (does_number m). split.
        * apply in_app_iff. left. right. unfold reply_numbers. apply in_map_iff. exists (r, m). auto.
        * apply number_at. rewrite Ho. exact Hn.
  Qed.

  Lemma next_code_right c d own l o x set :
    evaluate_before p (true_facts t c) = Some d ->
    evaluate_after p d ((does_number own :: reply_numbers l) ++ snd x) = Some set ->
    In own (own_moves t) -> reply_right l o -> outcome_right x ->
    same (state_of (next_code t set)) (next_state rules (state_of c) (joint rules q (move_term own) o (fst x))).
  Proof.
    intros Hd Hset Hown Hl Hx f. unfold next_state.
    transitivity (holds p set (Ground "next" [f])).
    - unfold state_of, next_code. split.
      + intros (y & Hy & <-). apply decode_encode in Hy as [Hin Hy].
        apply (tables_fluents _ _ _ Ht) in Hin as (_ & Hn & _). rewrite <- Hn in Hy. apply holds_iff, Hy.
      + intros (i & Hat & Hi). apply number_at in Hat as Hn. destruct (tables_next _ _ _ Ht _ _ Hn) as (y & Hy & <-).
        exists y. split; [|reflexivity]. apply decode_encode. split; [assumption|].
        apply (tables_fluents _ _ _ Ht) in Hy as (_ & Hn' & _). fold p in Hn'. rewrite <- Hn'. apply holds_iff. exists i. auto.
    - rewrite (evaluated c d _ set Hd Hset). apply model_of_equal_facts. intros a.
      rewrite (moves_right_facts own l o x Hown Hl Hx). reflexivity.
  Qed.

  (** *** The moves of a state *)

  Section State.
    Variable c : code.
    Variable set : PositiveSet.t.
    Hypothesis Hset : forall a, holds p set a <-> model rules (state_facts (state_of c)) a.

    Lemma legal_moves_sound r l m : moves_right p r l -> In m (legal_moves set l) ->
      In m l /\ legal rules (state_of c) r (move_term m).
    Proof.
      intros [Hl _] Hm. apply filter_In in Hm as [Hin Hm]. split; [assumption|].
      apply Hset, (holds_at set (legal_number m)); [apply Hl, Hin|assumption].
    Qed.

    Lemma legal_moves_complete r l x : moves_right p r l -> legal rules (state_of c) r x ->
      exists m, In m (legal_moves set l) /\ move_term m = x.
    Proof.
      intros [Hl Hall] Hx. apply Hset in Hx as (i & Hat & Hi). apply number_at in Hat.
      destruct (Hall x i Hat) as (m & Hm & <-). exists m. split; [|reflexivity]. apply filter_In.
      split; [assumption|]. apply (holds_at set (legal_number m) (Ground "legal" [r; move_term m])); [apply Hl, Hm|].
      exists i. split; [apply number_at, Hat|assumption].
    Qed.

    Lemma find_move_sound l x m : find_move l x = Some m -> In m l /\ move_term m = x.
    Proof. intros H. apply find_some in H as [Hin E]. apply ground_eqb_spec in E. auto. Qed.

    (** Every reply is among [all_replies]. *)
    Lemma all_replies_complete o : reply rules q (state_of c) o ->
      exists l, In l (all_replies t set) /\ reply_right l o.
    Proof.
      intros Ho. unfold all_replies, reply_right.
      assert (Hopp : forall r, In r (map fst (others t)) -> legal rules (state_of c) r (o r)).
      { intros r Hr. apply Ho. apply (tables_opponents _ _ _ Ht), Hr. }
      pose proof (tables_others _ _ _ Ht) as Hmoves. fold p in Hmoves.
      induction (others t) as [|[r moves] rest IH]; simpl.
      - exists []. split; [left; reflexivity|]. split; [reflexivity|]. intros r m [].
      - destruct IH as (l & Hl & Hnames & Hright).
        { intros r' Hr'. apply Hopp. right. assumption. }
        { intros r' ms Hr'. apply Hmoves. right. assumption. }
        assert (Hr : moves_right p r moves) by (apply Hmoves; left; reflexivity).
        destruct (legal_moves_complete r moves (o r) Hr) as (m & Hm & Hmo); [apply Hopp; left; reflexivity|].
        exists ((r, m) :: l). split.
        + apply in_flat_map. exists m. split; [assumption|]. apply in_map, Hl.
        + split; [simpl; congruence|]. intros r' m' [[= <- <-]|Hin]; [|auto]. split; [|auto].
          apply legal_moves_sound with (r := r) in Hm as [Hm _]; [|assumption]. apply Hr, Hm.
    Qed.

    (** Legal moves of all opponents are a reply. *)
    Definition reply_of (l : list (ground * move)) (r : ground) : ground :=
      match find (fun x : ground * move => ground_eqb r (fst x)) l with Some x => move_term (snd x) | None => r end.

    Lemma reply_of_right l : map fst l = map fst (others t) ->
      (forall r m, In (r, m) l -> exists moves, In (r, moves) (others t) /\ In m (legal_moves set moves)) ->
      reply rules q (state_of c) (reply_of l) /\ reply_right l (reply_of l).
    Proof.
      intros Hnames Hl.
      assert (Hfind : forall r m, In (r, m) l -> reply_of l r = move_term m).
      { assert (Hd : NoDup (map fst l)) by (rewrite Hnames; apply (tables_distinct _ _ _ Ht)).
        clear - Hd. induction l as [|[r m] l IH]; intros r' m' Hin; [destruct Hin|].
        inversion Hd as [|x y Hr Hd']; subst. unfold reply_of. simpl. destruct (ground_eqb r' r) eqn:E.
        - apply ground_eqb_spec in E as ->. destruct Hin as [[= <-]|Hin]; [reflexivity|].
          exfalso. apply Hr. apply (in_map fst _ _ Hin).
        - destruct Hin as [[= <- <-]|Hin]; [rewrite ground_eqb_refl in E; discriminate|]. apply IH; assumption. }
      split.
      - intros r Hr. unfold opponent in Hr. apply (tables_opponents _ _ _ Ht) in Hr. rewrite <- Hnames in Hr.
        apply in_map_iff in Hr as ((r' & m) & Heq & Hin). simpl in Heq. subst r'.
        rewrite (Hfind r m Hin). destruct (Hl r m Hin) as (moves & Hmoves & Hm).
        apply (legal_moves_sound r moves); [apply (tables_others _ _ _ Ht), Hmoves|assumption].
      - split; [assumption|]. intros r m Hin. split; [|apply Hfind, Hin].
        destruct (Hl r m Hin) as (moves & Hmoves & Hm). apply (tables_others _ _ _ Ht) in Hmoves.
        apply (legal_moves_sound r moves) in Hm as [Hm _]; [|assumption]. apply Hmoves, Hm.
    Qed.

    Lemma all_replies_sound l : In l (all_replies t set) -> map fst l = map fst (others t) /\
      forall r m, In (r, m) l -> exists moves, In (r, moves) (others t) /\ In m (legal_moves set moves).
    Proof.
      unfold all_replies. revert l. induction (others t) as [|[r moves] rest IH]; intros l; simpl.
      - intros [<-|[]]. split; [reflexivity|]. intros r m [].
      - intros H. apply in_flat_map in H as (m & Hm & H). apply in_map_iff in H as (l' & <- & Hl').
        destruct (IH l' Hl') as [Hnames Hall]. split; [simpl; congruence|].
        intros r' m' [[= <- <-]|Hin]; [exists moves; auto|].
        destruct (Hall r' m' Hin) as (ms & Hms & Hm'). exists ms. auto.
    Qed.

    Lemma outcomes_right : elements (chance rules (state_of c)) (map fst (outcomes t set)) /\
      forall x, In x (outcomes t set) -> outcome_right x.
    Proof.
      pose proof (tables_chance _ _ _ Ht) as Hc. unfold outcomes, elements, chance, outcome_right.
      destruct (chance_moves t) as [moves|].
      - destruct Hc as (Hr & Hmoves & Hd). rewrite map_map. simpl. split; [split|].
        + clear - Hd. unfold legal_moves. induction moves as [|m moves IH]; simpl; [constructor|].
          inversion Hd as [|x l Hm Hd']; subst. destruct (has set (legal_number m)); [|auto].
          simpl. constructor; [|auto]. intros Hin. apply Hm. apply in_map_iff in Hin as (y & Hy & Hin).
          apply filter_In in Hin as [Hin _]. apply in_map_iff. eauto.
        + intros x. split.
          * intros Hx. apply in_map_iff in Hx as (m & <- & Hm). left. split; [assumption|].
            apply (legal_moves_sound random moves); assumption.
          * intros [[_ Hx]|[Hno _]]; [|contradiction].
            destruct (legal_moves_complete random moves x Hmoves Hx) as (m & Hm & <-). apply in_map, Hm.
        + intros x Hx. apply in_map_iff in Hx as (m & <- & Hm). right. split; [assumption|]. simpl.
          exists (does_number m). split; [reflexivity|]. apply (legal_moves_sound random moves) in Hm as [Hm _]; [|assumption].
          apply Hmoves, Hm.
      - simpl. split; [split|].
        + constructor; [intros []|constructor].
        + intros x. split; [intros [<-|[]]; auto|]. intros [[Hr _]|[_ ->]]; [contradiction|auto].
        + intros x [<-|[]]. auto.
    Qed.

    (** The goals that hold. *)
    Lemma goals_right g : In g (map fst (filter (fun g => has set (snd g)) (goal_numbers t))) <->
      goal rules (state_of c) (who q) g.
    Proof.
      unfold goal. rewrite <- Hset. rewrite in_map_iff. split.
      - intros ((h & i) & <- & H). apply filter_In in H as [Hin Hi]. apply (tables_goals _ _ _ Ht) in Hin.
        apply (holds_at set i); assumption.
      - intros (i & Hat & Hi). apply number_at in Hat. exists (g, i). split; [reflexivity|]. apply filter_In.
        split; [apply (tables_goals _ _ _ Ht), Hat|assumption].
    Qed.

    Lemma only_points_right goals v : (forall g, In g goals <-> goal rules (state_of c) (who q) g) ->
      only_points goals = Done v ->
      exists g n, goal rules (state_of c) (who q) g /\ (forall h, goal rules (state_of c) (who q) h -> h = g) /\
                  points_of g = Some n /\ v = inject_Z (Z.of_N n).
    Proof.
      intros Hg. unfold only_points. destruct goals as [|g [|h goals]]; try discriminate.
      destruct (points_of g) as [n|] eqn:En; [|discriminate]. intros [= <-]. exists g, n.
      split; [apply Hg; left; reflexivity|]. split; [|auto]. intros h Hh. apply Hg in Hh as [<-|[]]. reflexivity.
    Qed.

    Lemma payoff_right v :
      payoff_of (aim q) (map fst (filter (fun g => has set (snd g)) (goal_numbers t))) = Done v ->
      payoff rules q (state_of c) v.
    Proof.
      pose proof goals_right as Hg. revert Hg. generalize (map fst (filter (fun g => has set (snd g)) (goal_numbers t))).
      intros goals Hg. unfold payoff_of, payoff. destruct (aim q).
      - intros [= <-]. destruct (member (Ground "100" []) goals) eqn:E.
        + left. split; [apply Hg, member_iff, E|reflexivity].
        + right. split; [|reflexivity]. rewrite <- Hg, <- member_iff, E. discriminate.
      - intros [= <-]. match goal with |- context [existsb ?f ?l] => destruct (existsb f l) eqn:E end.
        + left. split; [|reflexivity]. apply existsb_exists in E as (g & Hin & E). exists g.
          destruct (points_of g) as [n|]; [|discriminate]. exists n. split; [apply Hg, Hin|].
          split; [reflexivity|]. apply N.leb_le, E.
        + right. split; [|reflexivity]. intros (g & n & Hin & Hn & Hle). apply not_true_iff_false in E. apply E.
          apply existsb_exists. exists g. split; [apply Hg, Hin|]. rewrite Hn. apply N.leb_le, Hle.
      - intros E. destruct (only_points_right goals v Hg E) as (g & n & H1 & H2 & H3 & ->). exists g, n.
        repeat split; auto; reflexivity.
      - intros E. apply bind_done in E as (w & E & [= <-]).
        destruct (only_points_right goals w Hg E) as (g & n & H1 & H2 & H3 & ->). exists g, n.
        repeat split; auto; reflexivity.
    Qed.
  End State.

  (** *** Bounds *)

  Definition bounded (side : side) (n : nat) (s : state) (v : Q) : Prop :=
    match side with RoleSide => at_least rules q n s v | OpponentsSide => at_most rules q n s v end.

  Definition no_better (side : side) (v w : Q) : Prop :=
    match side with RoleSide => v <= w | OpponentsSide => w <= v end.

  Lemma bounded_same side n s s' v : same s s' -> bounded side n s v -> bounded side n s' v.
  Proof. destruct side; [apply same_at_least|apply same_at_most]. Qed.

  Lemma no_better_refl side v : no_better side v v.
  Proof. destruct side; apply Qle_refl. Qed.

  Lemma no_better_trans side u v w : no_better side u v -> no_better side v w -> no_better side u w.
  Proof. destruct side; simpl; intros; eapply Qle_trans; eassumption. Qed.

  Lemma worse_no_better side v w : no_better side (worse side v w) v /\ no_better side (worse side v w) w.
  Proof.
    unfold worse, no_better. destruct side; destruct (Qle_bool v w) eqn:E;
      (apply Qle_bool_iff in E || (assert (E' : ~ v <= w) by (rewrite <- Qle_bool_iff, E; discriminate);
                                   apply Qnot_le_lt, Qlt_le_weak in E')); split; auto using Qle_refl.
  Qed.

  Lemma worst_no_better side values v : In v values -> no_better side (worst side values) v.
  Proof.
    destruct values as [|u values]; intros H; [destruct H|]. simpl.
    assert (Hf : forall l u, no_better side (fold_left (worse side) l u) u /\
              forall v, In v l -> no_better side (fold_left (worse side) l u) v).
    { clear. induction l as [|w l IH]; intros u; simpl; [split; [apply no_better_refl|intros v []]|].
      destruct (IH (worse side u w)) as [H1 H2]. destruct (worse_no_better side u w) as [Hu Hw].
      split; [eapply no_better_trans; eassumption|]. intros v [<-|Hv]; [eapply no_better_trans; eassumption|auto]. }
    destruct (Hf values u) as [H1 H2]. destruct H as [<-|H]; auto.
  Qed.

  Definition memory_right (side : side) (m : memory) : Prop :=
    forall n c v, recall m n c = Some v -> bounded side n (state_of c) v.

  Lemma remember_right side m n c v : memory_right side m -> bounded side n (state_of c) v ->
    memory_right side (remember m n c v).
  Proof.
    intros Hm Hv n' c' w. unfold recall, remember. destruct (Pos.eq_dec c' c) as [->|Hne].
    - rewrite PositiveMap.gss. simpl. destruct (Nat.eqb n' n) eqn:En; simpl.
      + apply Nat.eqb_eq in En as ->. intros [= <-]. assumption.
      + specialize (Hm n' c w). unfold recall in Hm. destruct (PositiveMap.find c m); [exact Hm|discriminate].
    - rewrite PositiveMap.gso by assumption. apply Hm.
  Qed.

  (** A choice of this side in a state, with the reply that it stands for. *)
  Definition alternative_right (c : code) (a : alternative) (o : ground -> ground) : Prop :=
    In (own a) (own_moves t) /\ legal rules (state_of c) (who q) (move_term (own a)) /\
    reply rules q (state_of c) o /\ reply_right (reply_moves a) o.

  (** What has to be shown of the advice of a side. *)
  Definition advice_right (side : side) (advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative)) : Prop :=
    forall n c set claimed alternatives,
      (forall a, holds p set a <-> model rules (state_facts (state_of c)) a) ->
      advice n c set = Done (claimed, alternatives) ->
      (forall a, In a alternatives -> exists o, alternative_right c a o) /\
      match side with
      | RoleSide => exists x, forall o, reply rules q (state_of c) o ->
          exists a, In a alternatives /\ move_term (own a) = x /\ alternative_right c a o
      | OpponentsSide => forall x, legal rules (state_of c) (who q) x ->
          exists a o, In a alternatives /\ move_term (own a) = x /\ alternative_right c a o
      end.

  Section Side.
    Variable side : side.
    Variable advice : nat -> code -> PositiveSet.t -> result (option Q * list alternative).
    Hypothesis Hadvice : advice_right side advice.

    Definition bounds_right (n : nat) (f : code -> memory -> result (Q * memory)) : Prop :=
      forall c m v m', f c m = Done (v, m') -> memory_right side m -> bounded side n (state_of c) v /\ memory_right side m'.

    Lemma outcome_bounds_right n f c d a o : bounds_right n f ->
      evaluate_before p (true_facts t c) = Some d -> alternative_right c a o ->
      forall l m vs m',
      outcome_bounds t f d (does_number (own a) :: reply_numbers (reply_moves a)) l m = Done (vs, m') ->
      (forall x, In x l -> outcome_right x) -> memory_right side m ->
      Forall2 (fun x v => bounded side n (next_state rules (state_of c) (joint rules q (move_term (own a)) o x)) v) (map fst l) vs /\
      memory_right side m'.
    Proof.
      intros Hf Hd (Hown & _ & _ & Hreply). induction l as [|[x more] l IH]; intros m vs m' H Hl Hm; simpl in H.
      - injection H as <- <-. split; [constructor|assumption].
      - match type of H with match ?e with _ => _ end = _ => destruct e as [set|] eqn:Eset end; [|discriminate].
        steps_of H. destruct r as [v m1]. destruct r0 as [vs1 m2]. simpl in *. injection H as <- <-.
        destruct (Hf _ _ _ _ E Hm) as [Hv Hm1].
        destruct (IH _ _ _ E0 (fun x Hx => Hl x (or_intror Hx)) Hm1) as [Hvs Hm2]. split; [|assumption].
        constructor; [|assumption].
        refine (bounded_same _ _ _ _ _ _ Hv).
        apply (next_code_right c d (own a) (reply_moves a) o (x, more) set); auto.
    Qed.

    Lemma alternative_bounds_right n f c d chance : bounds_right n f ->
      evaluate_before p (true_facts t c) = Some d ->
      chance <> [] -> elements (Value.chance rules (state_of c)) (map fst chance) -> (forall x, In x chance -> outcome_right x) ->
      forall l m vs m',
      alternative_bounds t f d chance l m = Done (vs, m') -> memory_right side m ->
      (forall a, In a l -> exists o, alternative_right c a o) ->
      memory_right side m' /\
      forall a o, In a l -> alternative_right c a o ->
        exists v, In v vs /\
          mean (Value.chance rules (state_of c))
               (fun x => bounded side n (next_state rules (state_of c) (joint rules q (move_term (own a)) o x))) v.
    Proof.
      intros Hf Hd Hne Hel Hchance. induction l as [|a l IH]; intros m vs m' H Hm Hl; simpl in H.
      - injection H as <- <-. split; [assumption|]. intros a o [].
      - steps_of H. destruct r as [us m1]. destruct r1 as [vs2 m2]. simpl in *. injection H as <- <-.
        destruct (Hl a (or_introl eq_refl)) as (o & Ho).
        destruct (outcome_bounds_right n f c d a o Hf Hd Ho _ _ _ _ E Hchance Hm) as [_ Hm1].
        destruct (IH _ _ _ E1 Hm1 (fun a Ha => Hl a (or_intror Ha))) as [Hm2 Hall]. split; [assumption|].
        intros b o' [<-|Hb] Ho'.
        + exists (mean_of us). split; [left; reflexivity|].
          destruct (outcome_bounds_right n f c d a o' Hf Hd Ho' _ _ _ _ E Hchance Hm) as [Hus _].
          exists (map fst chance), us. split; [assumption|]. split; [destruct chance; [contradiction|discriminate]|].
          split; [assumption|]. unfold mean_of. rewrite Qred_correct, (Forall2_same_length _ _ _ Hus). reflexivity.
        + destruct (Hall b o' Hb Ho') as (v & Hv & Hmean). exists v. split; [right|]; assumption.
    Qed.

    Lemma bound_right n : bounds_right n (bound t (aim q) side advice n).
    Proof.
      induction n as [|n IH]; intros c m v m' H Hm; cbn [bound] in H; fold p in H;
        (match type of H with match ?e with _ => _ end = _ => destruct e as [w|] eqn:Er end;
         [injection H as <- <-; split; [apply Hm, Er|assumption]|]);
        (destruct (evaluate_before p (true_facts t c)) as [d|] eqn:Ed; [|discriminate]);
        (destruct (evaluate_after p d []) as [set|] eqn:Es; [|discriminate]);
        pose proof (evaluated_state c d set Ed Es) as Hset;
        apply bind_done in H as (r & E & H); apply done_equal in H; injection H as <- <-;
        (match goal with |- bounded _ ?k _ _ /\ _ =>
           cut (bounded side k (state_of c) (fst r) /\ memory_right side (snd r));
           [intros [Hb Hr]; split; [exact Hb|apply remember_right; assumption]|] end);
        rewrite (tables_terminal _ _ _ Ht) in E; fold p in E;
        (destruct (holds_number set (number p (Ground "terminal" []))) eqn:Et;
         [apply holds_iff, Hset in Et; apply bind_done in E as (w & Ep & E); apply done_equal in E; subst r;
          apply (payoff_right c set Hset) in Ep; split; [|assumption];
          destruct side; left; (split; [assumption|]); exists w; (split; [assumption|apply Qle_refl])|]);
        assert (Hno : ~ terminal rules (state_of c)) by (intros T; apply Hset, holds_iff in T; congruence).
      - injection E as <-. split; [|assumption]. destruct side; right; (split; [assumption|apply Qle_refl]).
      - apply bind_done in E as ((claimed & alternatives) & Ea & E). cbn [fst snd] in E.
        destruct (Hadvice _ _ _ _ _ Hset Ea) as [Hall Hside].
        destruct alternatives as [|a0 rest]; [discriminate|].
        destruct (outcomes_right c set Hset) as [Hel Hout].
        destruct (outcomes t set) as [|x0 more] eqn:Eo; [discriminate|].
        assert (Hne : x0 :: more <> []) by discriminate.
        destruct (Hall a0 (or_introl eq_refl)) as (o0 & H0).
        cbv beta iota zeta in E. remember (x0 :: more) as chance. remember (a0 :: rest) as alternatives.
        apply bind_done in E as ((vs & m1) & Eb & E). cbn [fst snd] in E.
        destruct (claim_holds claimed (worst side vs)); [|discriminate]. injection E as <-.
        destruct (alternative_bounds_right n _ c d chance IH Ed Hne Hel Hout _ _ _ _ Eb Hm Hall) as [Hm1 Hmeans].
        split; [|assumption]. cbn [fst].
        destruct side; right; (split; [assumption|]).
        + destruct Hside as (x & Hx). destruct (Hx o0) as (a1 & Hin1 & <- & H1); [apply H0|].
          exists (move_term (own a1)). split; [apply H1|]. split; [exists o0; apply H0|].
          intros o Ho. destruct (Hx o Ho) as (a & Hin & Heq & Ha). destruct (Hmeans a o Hin Ha) as (v & Hv & Hmean).
          exists v. split; [apply (worst_no_better RoleSide), Hv|]. rewrite <- Heq. exact Hmean.
        + split; [exists (move_term (own a0)); apply H0|]. intros x Hx.
          destruct (Hside x Hx) as (a & o & Hin & <- & Ha). destruct (Hmeans a o Hin Ha) as (v & Hv & Hmean).
          exists o. split; [apply Ha|]. exists v. split; [apply (worst_no_better OpponentsSide), Hv|exact Hmean].
    Qed.
  End Side.

  Lemma player_advice_right table : advice_right RoleSide (player_advice t table).
  Proof.
    intros n c set claimed alternatives Hset H. unfold player_advice in H.
    destruct (listed table n c) as [[w m]|]; [|discriminate].
    destruct (find_move (legal_moves set (own_moves t)) m) as [own|] eqn:Em; [|discriminate].
    injection H as <- <-. apply find_move_sound in Em as [Hown _].
    apply (legal_moves_sound c set Hset (who q)) in Hown as [Hown Hlegal]; [|apply (tables_own _ _ _ Ht)].
    split.
    - intros a Ha. apply in_map_iff in Ha as (l & <- & Hl). apply all_replies_sound in Hl as [Hnames Hl].
      exists (reply_of l). destruct (reply_of_right c set Hset l Hnames Hl). split; [assumption|split; [assumption|split; assumption]].
    - exists (move_term own). intros o Ho. destruct (all_replies_complete c set Hset o Ho) as (l & Hl & Hright).
      exists (Alternative own l None). split; [apply in_map_iff; eauto|]. split; [reflexivity|].
      split; [assumption|split; [assumption|split; assumption]].
  Qed.

  Lemma find_reply_all set said l : forall reply, collect (find_reply set said) l = Done reply ->
    map fst reply = map fst l /\
    forall r m, In (r, m) reply -> exists moves, In (r, moves) l /\ In m (legal_moves set moves).
  Proof.
    induction l as [|[r moves] l IH]; intros reply H; simpl in H.
    - injection H as <-. split; [reflexivity|]. intros r m [].
    - steps_of H. subst reply. destruct (IH _ E0) as [Hnames Hall]. unfold find_reply in E. simpl in E.
      match type of E with match ?e with _ => _ end = _ => destruct e as [x|] end; [|discriminate].
      match type of E with match ?e with _ => _ end = _ => destruct e as [m|] eqn:Em end; [|discriminate].
      injection E as <-. apply find_move_sound in Em as [Hm _]. split; [simpl; congruence|].
      intros r' m' [[= <- <-]|Hin]; [exists moves; split; [left|]; auto|].
      destruct (Hall r' m' Hin) as (ms & Hms & Hm'). exists ms. split; [right|]; assumption.
  Qed.

  Lemma opponents_advice_right table : advice_right OpponentsSide (opponents_advice t table).
  Proof.
    intros n c set claimed alternatives Hset H.
    assert (E : exists f, Forall2 (fun own a => f own = Done a) (legal_moves set (own_moves t)) alternatives /\
              forall own a, f own = Done a -> Check.own a = own /\ exists o, reply rules q (state_of c) o /\ reply_right (reply_moves a) o).
    { unfold opponents_advice in H. destruct (listed table n c) as [[w answers]|].
      - destruct (collect _ _) as [found|why] eqn:E; [|discriminate]. injection H as <- <-.
        exists (answer_to t set answers). split; [apply collect_done, E|]. intros own a Ha. unfold answer_to in Ha.
        destruct (find _ answers) as [answer|]; [|discriminate]. apply bind_done in Ha as (l & El & Ha).
        apply done_equal in Ha. subst a. apply find_reply_all in El as [Hnames Hl].
        split; [reflexivity|]. exists (reply_of l). apply (reply_of_right c set Hset l Hnames Hl).
      - destruct (others t) eqn:Eo; [|discriminate]. injection H as <- <-.
        exists (fun own => Done (Alternative own [] None)). split.
        + induction (legal_moves set (own_moves t)); constructor; auto.
        + intros own a [= <-]. split; [reflexivity|]. exists (reply_of []).
          apply (reply_of_right c set Hset []); [rewrite Eo; reflexivity|intros r m []]. }
    destruct E as (f & E & Hf).
    assert (Hone : forall own a, In own (legal_moves set (own_moves t)) -> f own = Done a ->
              exists o, alternative_right c a o /\ Check.own a = own).
    { intros own a Hown Ha. apply (legal_moves_sound c set Hset (who q)) in Hown as [Hown Hlegal]; [|apply (tables_own _ _ _ Ht)].
      destruct (Hf own a Ha) as (<- & o & Ho & Hr). exists o. split; [|reflexivity].
      split; [assumption|split; [assumption|split; assumption]]. }
    split.
    - intros a Ha. destruct (Forall2_right _ _ _ _ E Ha) as (own & Hown & Hans).
      destruct (Hone own a Hown Hans) as (o & Ho & _). exists o. assumption.
    - intros x Hx. destruct (legal_moves_complete c set Hset (who q) _ x (tables_own _ _ _ Ht) Hx) as (m & Hm & <-).
      destruct (Forall2_left _ _ _ _ E Hm) as (a & Ha & Hans). destruct (Hone m a Hm Hans) as (o & Ho & Heq).
      exists a, o. split; [assumption|]. split; [congruence|assumption].
  Qed.

  (** *** The start *)

  Lemma static_model_of_tables set : static_model p = Some set -> forall a, holds p set a <-> model rules none a.
  Proof. destruct (tables_compiled _ _ _ Ht) as (s & H). apply (static_model_right s rules p H). Qed.

  Lemma start_code_right c : start_code t q = Done c -> same (state_of c) (start_state rules q).
  Proof.
    unfold start_code, start_state. destruct (start q) as [l|].
    - intros H f. unfold code_of in H. steps_of H. subst c. unfold facts_set in E. steps_of E. subst r.
      apply collect_done in E0.
      assert (Hhas : forall l set i, has (fold_left (fun set i => PositiveSet.add i set) l set) i = true <-> In i l \/ has set i = true).
      { clear. induction l as [|j l IH]; intros set i; simpl; [intuition|]. rewrite IH, has_add. intuition. }
      unfold state_of. split.
      + intros (x & Hx & <-). apply decode_encode in Hx as [Hx Hi]. apply Hhas in Hi as [Hi|Hi]; [|discriminate].
        destruct (Forall2_right _ _ _ _ E0 Hi) as (f & Hf & Hn). fold p in Hn.
        destruct (number p (Ground "true" [f])) as [i|] eqn:En; [|discriminate]. injection Hn as ->.
        apply (tables_fluents _ _ _ Ht) in Hx as [Hx _]. apply number_at in Hx. apply number_at in En. congruence.
      + intros Hf. destruct (Forall2_left _ _ _ _ E0 Hf) as (i & Hi & Hn). fold p in Hn.
        destruct (number p (Ground "true" [f])) as [j|] eqn:En; [|discriminate]. injection Hn as ->.
        destruct (tables_true _ _ _ Ht _ _ En) as (x & Hx & <-). exists x. split; [|reflexivity].
        apply decode_encode. split; [assumption|]. apply Hhas. left.
        apply (tables_fluents _ _ _ Ht) in Hx as [Hx _]. fold p in Hx. rewrite En in Hx. injection Hx as <-. assumption.
    - unfold initial_code. fold p. destruct (static_model p) as [set|] eqn:Es; [|discriminate]. intros [= <-] f.
      unfold initial. rewrite <- (static_model_of_tables set Es). unfold state_of. split.
      + intros (x & Hx & <-). apply decode_encode in Hx as [Hx Hi].
        apply (tables_fluents _ _ _ Ht) in Hx as (_ & _ & Hn). rewrite <- Hn in Hi. apply holds_iff, Hi.
      + intros Hf. pose proof Hf as (i & Hat & _). apply number_at in Hat.
        destruct (tables_init _ _ _ Ht _ _ Hat) as (x & Hx & <-). exists x. split; [|reflexivity].
        apply decode_encode. split; [assumption|]. apply (tables_fluents _ _ _ Ht) in Hx as (_ & _ & Hn).
        fold p in Hn. rewrite <- Hn. apply holds_iff, Hf.
  Qed.
End Right.

(** ** The theorem *)

Lemma at_least_smaller rules q n s v w : w <= v -> at_least rules q n s v -> at_least rules q n s w.
Proof.
  intros E. destruct n as [|n]; simpl.
  - intros [(T & y & Hy & Hv)|[T Hv]]; [left; split; [|exists y; split]|right; split]; auto; lra.
  - intros [(T & y & Hy & Hv)|[T (a & Ha & Ho & H)]]; [left; split; [|exists y; split]; auto; lra|right].
    split; [assumption|]. exists a. split; [assumption|]. split; [assumption|]. intros o Hr.
    destruct (H o Hr) as (y & Hy & Hm). exists y. split; [lra|assumption].
Qed.

Lemma at_most_larger rules q n s v w : v <= w -> at_most rules q n s v -> at_most rules q n s w.
Proof.
  intros E. destruct n as [|n]; simpl.
  - intros [(T & y & Hy & Hv)|[T Hv]]; [left; split; [|exists y; split]|right; split]; auto; lra.
  - intros [(T & y & Hy & Hv)|[T [Ha H]]]; [left; split; [|exists y; split]; auto; lra|right].
    split; [assumption|]. split; [assumption|]. intros a Hl.
    destruct (H a Hl) as (o & Ho & y & Hy & Hm). exists o. split; [assumption|]. exists y. split; [lra|assumption].
Qed.

(** What the checker accepts is the value, whatever was suggested and whatever the strategy is. *)
Theorem check_proves_the_value suggested rules q s v : check suggested rules q s = Done v -> value rules q v.
Proof.
  intros H. unfold check in H. apply bind_done in H as (t & Et & H).
  pose proof (make_tables_right _ _ _ _ Et) as Ht. steps_of H.
  destruct r1 as [lower m1]. destruct r3 as [upper m2]. simpl in *.
  apply Qeq_bool_iff in E4, E5. subst v.
  pose proof (start_code_right rules q t Ht _ E) as Hstart.
  destruct (bound_right rules q t Ht RoleSide _ (player_advice_right rules q t Ht r0) _ _ _ _ _ E1) as [Hlower _].
  { intros n c v Hr. unfold recall in Hr. rewrite PositiveMap.gempty in Hr. discriminate. }
  destruct (bound_right rules q t Ht OpponentsSide _ (opponents_advice_right rules q t Ht r2) _ _ _ _ _ E3) as [Hupper _].
  { intros n c v Hr. unfold recall in Hr. rewrite PositiveMap.gempty in Hr. discriminate. }
  split; [|split].
  - destruct (tables_compiled _ _ _ Ht) as (s' & H). apply (rules_stratified s' rules _ H).
  - apply (same_at_least rules q _ _ _ _ Hstart). apply (at_least_smaller _ _ _ _ lower); [|exact Hlower].
    rewrite Qred_correct, E4. apply Qle_refl.
  - apply (same_at_most rules q _ _ _ _ Hstart). apply (at_most_larger _ _ _ _ upper); [|exact Hupper].
    rewrite Qred_correct, E5. apply Qle_refl.
Qed.

(** In particular it is the value by Definition 1, wherever that gives one. *)
Corollary check_by_definition_1 suggested rules q s v w :
  check suggested rules q s = Done v -> definition_1 rules q (steps q) (start_state rules q) w -> v == w.
Proof. intros H. apply value_by_definition_1, (check_proves_the_value _ _ _ _ _ H). Qed.



