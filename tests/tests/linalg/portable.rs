//! Programs with `linalg = "portable"` need no handler on any plugin.

use std::path::Path;

use cyxla::{Client, Complex, Element, HostArray, Options, compile_program};
use cyxla_artifact::Linalg;
use cyxla_build::{Argument, Error, LowerError, LowerRequest};

use crate::matrix::{Matrix, Number};

fn request(target: &str, arguments: &[HostArray]) -> LowerRequest {
    let mut request = LowerRequest::new(target);
    request.python = Some(cyxla_test_environment::main().interpreter().to_owned());
    request.python_path = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("python")];
    let types = arguments.iter().zip(["a", "b"]);
    request.arguments = Some(
        types
            .map(|(argument, name)| Argument::new(name, *argument.array_type()))
            .collect(),
    );
    request.linalg = Linalg::Portable;
    request
}

/// What the function gives on every plugin, in clients without handlers.
fn everywhere(target: &str, arguments: &[HostArray], check: impl Fn(&[Matrix])) {
    let program = cyxla_build::lower(&request(target, arguments)).unwrap();
    assert_eq!(program.record.custom_calls, [""; 0]);
    let plugins = cyxla_test_environment::plugins();
    assert!(!plugins.is_empty());
    for library in plugins {
        let options = Options::new().plugin_path(&library).jax_targets(false);
        let client = Client::open(&options).unwrap();
        let (executable, _) = compile_program(&client, &program, false).unwrap();
        let views: Vec<_> = arguments.iter().map(HostArray::view).collect();
        let results = executable.run(&views).unwrap();
        check(&results.iter().map(Matrix::of_host).collect::<Vec<_>>());
    }
}

/// The matrix, rounded to `T`, as an argument and as what it is then.
fn argument<T: Number + Element>(matrix: &Matrix) -> (HostArray, Matrix) {
    let host = matrix.host::<T>();
    let rounded = Matrix::of_host(&host);
    (host, rounded)
}

fn cholesky<T: Number + Element>() {
    let (host, a) = argument::<T>(&real_if::<T>(Matrix::example(5, 5)).gram());
    everywhere("linalg:cholesky", &[host], |results| {
        let [l] = results else { panic!("{results:?}") };
        l.adjoint().assert_upper(0);
        l.times(&l.adjoint()).assert_near(&a, 20.0 * T::EPSILON);
    });
}

fn solve<T: Number + Element>() {
    let (a_host, a) = argument::<T>(&Matrix::example(5, 5));
    let (b_host, b) = argument::<T>(&Matrix::example(5, 2));
    everywhere("linalg:solve", &[a_host, b_host], |results| {
        a.times(&results[0]).assert_near(&b, 100.0 * T::EPSILON);
    });
}

fn qr<T: Number + Element>() {
    let (host, a) = argument::<T>(&Matrix::example(5, 3));
    everywhere("linalg:qr", &[host], |results| {
        let [q, r] = results else {
            panic!("{results:?}")
        };
        q.assert_orthonormal(20.0 * T::EPSILON);
        r.assert_upper(0);
        q.times(r).assert_near(&a, 20.0 * T::EPSILON);
    });
}

fn eigh<T: Number + Element>() {
    let (host, a) = argument::<T>(&real_if::<T>(Matrix::example(6, 6)).gram());
    everywhere("linalg:eigh", &[host], |results| {
        let [w, v] = results else {
            panic!("{results:?}")
        };
        v.assert_orthonormal(ITERATED);
        let w: Vec<_> = (0..w.rows()).map(|i| w.at(i, 0)).collect();
        assert!(w.is_sorted_by(|a, b| a.re <= b.re), "{w:?}");
        let product = v.times(&Matrix::diagonal(&w)).times(&v.adjoint());
        product.assert_near(&a, ITERATED);
    });
}

fn svd<T: Number + Element>() {
    let (host, a) = argument::<T>(&Matrix::example(6, 4));
    everywhere("linalg:svd", &[host], |results| {
        let [u, s, vh] = results else {
            panic!("{results:?}")
        };
        u.assert_orthonormal(ITERATED);
        vh.adjoint().assert_orthonormal(ITERATED);
        let s: Vec<_> = (0..s.rows()).map(|i| s.at(i, 0)).collect();
        assert!(s.is_sorted_by(|a, b| a.re >= b.re), "{s:?}");
        u.times(&Matrix::diagonal(&s))
            .times(vh)
            .assert_near(&a, ITERATED);
    });
}

/// How exact XLA's iterations are, whatever the element type; `Linalg::Portable` says so.
const ITERATED: f64 = 1e-5;

/// The real part for a real type: a product must be formed of what the type can hold.
fn real_if<T: Number>(matrix: Matrix) -> Matrix {
    let has_imaginary = T::of(Complex::new(0.0, 1.0)).wide().im != 0.0;
    if has_imaginary { matrix } else { matrix.real() }
}

macro_rules! of_each_type {
    ($($test:ident: $what:ident;)*) => {$(
        #[test]
        fn $test() {
            $what::<f32>();
            $what::<f64>();
            $what::<Complex<f32>>();
            $what::<Complex<f64>>();
        }
    )*};
}
of_each_type! {
    cholesky_factors_multiply_to_the_matrix: cholesky;
    systems_are_solved: solve;
    q_and_r_multiply_to_the_matrix: qr;
    eigenvectors_diagonalise_the_matrix: eigh;
    singular_vectors_diagonalise_the_matrix: svd;
}

#[test]
fn what_only_lapack_does_is_refused_by_the_name_of_its_primitive() {
    let square = Matrix::example(3, 3).host::<f32>();
    for (function, primitive) in [
        ("eig", "eig"),
        ("schur", "schur"),
        ("hessenberg", "hessenberg"),
        ("pivoted_qr", "geqp3"),
    ] {
        let target = format!("linalg:{function}");
        let error = cyxla_build::lower(&request(&target, std::slice::from_ref(&square)));
        let Err(Error::Lower(LowerError::Programs(failures))) = error else {
            panic!("{error:?}");
        };
        let text = failures[0].to_string();
        assert!(
            text.contains(&format!("it uses the primitive `{primitive}`")),
            "{text}"
        );
        assert!(
            text.contains("linalg.py:")
                && text.contains("  help: leave `linalg = \"portable\"` out"),
            "{text}"
        );
    }
}
