//! x
use komaoto::position::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "bench" {
        komaoto::tools::bench::run(
            &mut std::io::stdout(),
            a.get(2).map(|x| x.parse().unwrap()),
            None,
            None,
        )
        .unwrap();
        return;
    }
    let mut p = Position::from_sfen(&a[1]).unwrap();
    let t = std::time::Instant::now();
    let n = perft(&mut p, a[2].parse().unwrap());
    let s = t.elapsed().as_secs_f64();
    println!("{n} {s:.3} {:.1} Mnps", n as f64 / s / 1e6);
}
