(** * Extraction to OCaml

    By the library's ExtrOcamlBasic and ExtrOcamlNativeString, which have to be believed: bool, option, list, pairs, unit
    and decisions become types of OCaml, "and" and "or" its own; characters and texts become char and string, and so do
    equality, concatenation and prefixes of texts. Numbers are not mapped: they are those of Coq, digit by digit. *)

Require Import Rules Game Value Evaluate Check Define Endless Parse.
From Coq Require Import NArith.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.

Extraction Language OCaml.
Extraction "build/checker.ml" check check_endless read_rules program_of show_rules read_ground show show_all define N.add N.mul N.pow N.div_eucl
  ground_rules evaluate_before evaluate_after Qred.
