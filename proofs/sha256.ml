(* SHA-256 (FIPS 180-4), to say early that a strategy is for other rules. Not trusted. *)

(* The first 32 bits of the fractional parts of roots of the first primes. *)
let primes =
  let rec take n p found =
    if n = 0 then List.rev found
    else if List.exists (fun q -> p mod q = 0) found then take n (p + 1) found
    else take (n - 1) (p + 1) (p :: found)
  in
  take 64 2 []

let fraction power p =
  (* The largest r with r^power <= p * 2^(32 power), without its whole part, by bisection in large digits. *)
  let base = 1 lsl 24 in
  let rec multiply carry a b = match a with
    | [] -> if carry = 0 then [] else (carry mod base) :: multiply (carry / base) [] b
    | d :: a -> let v = (d * b) + carry in (v mod base) :: multiply (v / base) a b
  in
  let rec add a b carry = match (a, b) with
    | [], [] -> if carry = 0 then [] else [ carry ]
    | d :: a, e :: b -> let v = d + e + carry in (v mod base) :: add a b (v / base)
    | d :: a, [] | [], d :: a -> let v = d + carry in (v mod base) :: add a [] (v / base)
  in
  let rec times a = function [] -> [] | d :: b -> add (multiply 0 a d) (0 :: times a b) 0 in
  let rec digits n = if n = 0 then [] else (n mod base) :: digits (n / base) in
  let strip l = let rec drop = function 0 :: l -> drop l | l -> l in drop (List.rev l) in
  let at_most a b =
    let a = strip a and b = strip b in
    compare (List.length a, a) (List.length b, b) <= 0
  in
  let rec power_of r k = if k = 1 then digits r else times (power_of r (k - 1)) (digits r) in
  let rec shifted k = if k = 0 then digits p else multiply 0 (shifted (k - 1)) (1 lsl 16) in
  let bound = shifted (2 * power) in
  let rec bisect low high =
    if high - low <= 1 then low
    else
      let middle = (low + high) / 2 in
      if at_most (power_of middle power) bound then bisect middle high else bisect low middle
  in
  bisect 0 (1 lsl 38) land 0xffffffff

let hex (text : string) =
  let k = Array.of_list (List.map (fraction 3) primes) in
  let h = Array.of_list (List.map (fraction 2) (List.filteri (fun i _ -> i < 8) primes)) in
  let mask = 0xffffffff in
  let n = String.length text in
  let padded = Bytes.make ((n + 8) / 64 * 64 + 64) '\000' in
  Bytes.blit_string text 0 padded 0 n;
  Bytes.set padded n '\128';
  Bytes.set_int64_be padded (Bytes.length padded - 8) (Int64.of_int (8 * n));
  let right x r = ((x lsr r) lor (x lsl (32 - r))) land mask in
  let w = Array.make 64 0 in
  for block = 0 to (Bytes.length padded / 64) - 1 do
    for i = 0 to 15 do
      w.(i) <- Int32.to_int (Bytes.get_int32_be padded ((block * 64) + (4 * i))) land mask
    done;
    for i = 16 to 63 do
      let a = w.(i - 15) and b = w.(i - 2) in
      let s0 = right a 7 lxor right a 18 lxor (a lsr 3) and s1 = right b 17 lxor right b 19 lxor (b lsr 10) in
      w.(i) <- (w.(i - 16) + s0 + w.(i - 7) + s1) land mask
    done;
    let v = Array.copy h in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let t1 =
        v.(7) + (right e 6 lxor right e 11 lxor right e 25) + (e land v.(5) lxor (lnot e land v.(6))) + k.(i) + w.(i)
      and t2 =
        (right a 2 lxor right a 13 lxor right a 22) + (a land v.(1) lxor (a land v.(2)) lxor (v.(1) land v.(2)))
      in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t1) land mask;
      v.(0) <- (t1 + t2) land mask
    done;
    Array.iteri (fun i x -> h.(i) <- (h.(i) + x) land mask) v
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h))
