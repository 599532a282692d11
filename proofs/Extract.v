(** * Extraction to OCaml

    These Coq types become types of OCaml: bool, list, option, pairs, unit, and texts ([string], with equality and
    concatenation). Numbers are not mapped: they are those of Coq, digit by digit. *)

Require Import Rules Game Value Evaluate Check Define Endless Parse.
From Coq Require Import NArith.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.

Extraction Language OCaml.
Extraction "build/checker.ml" check check_endless read_rules program_of show_rules read_ground show show_all define N.add N.mul N.pow N.div_eucl
  ground_rules evaluate_before evaluate_after Qred.
