(** * The game of a description

    As in Schiffel and Thielscher, "Representing and reasoning about the rules of general games with imperfect
    information" (2014), for games in which everybody sees everything. Definitions only. *)

Require Export Rules.
Open Scope string_scope.

(** A state is the set of the terms [f] for which (true f) holds. *)
Definition state := ground -> Prop.

(** A joint move: which role makes which move. *)
Definition joint_move := ground -> ground -> Prop.

Definition none : atoms := fun _ => False.

(** The facts (true f) for all [f] in a state. *)
Definition state_facts (s : state) : atoms := fun a => exists f, s f /\ a = Ground "true" [f].

Section Game.
  Variable rules : program.

  Definition role (r : ground) : Prop := model rules none (Ground "role" [r]).

  Definition initial : state := fun f => model rules none (Ground "init" [f]).

  Definition terminal (s : state) : Prop := model rules (state_facts s) (Ground "terminal" []).

  Definition legal (s : state) (r m : ground) : Prop :=
    model rules (state_facts s) (Ground "legal" [r; m]).

  Definition goal (s : state) (r g : ground) : Prop :=
    model rules (state_facts s) (Ground "goal" [r; g]).

  (** The facts (does r m) for all roles [r] and their moves [m] in a joint move. *)
  Definition move_facts (moves : joint_move) : atoms := fun a =>
    exists r m, role r /\ moves r m /\ a = Ground "does" [r; m].

  Definition next_state (s : state) (moves : joint_move) : state := fun f =>
    model rules (fun a => state_facts s a \/ move_facts moves a) (Ground "next" [f]).
End Game.
