(** Says on what the theorems rest. [make -C proofs test] reads the answer: "Closed under the global context", that is on
    nothing but the rules of Rocq's logic. *)

Require Import Value Stable Evaluate Check Define Endless.

Print Assumptions model_does_not_depend_on_strata.
Print Assumptions evaluate_is_model.
Print Assumptions value_is_unique.
Print Assumptions definition_1_gives_the_value.
Print Assumptions value_by_definition_1.
Print Assumptions check_proves_the_value.
Print Assumptions check_by_definition_1.
Print Assumptions define_is_definition_1.
Print Assumptions endless_value_is_unique.
Print Assumptions check_endless_proves_the_value.
