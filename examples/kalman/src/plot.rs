//! The track as a picture, seen from above, north upwards.

use std::fmt::Write;

use crate::filter::State;
use crate::track::{MEASUREMENTS, SECONDS, Track, position, truth};

const INK: &str = "#333";
const GREY: &str = "#aab0b8";
const ORANGE: &str = "#d9822b";
const BLUE: &str = "#2f6db3";

/// An SVG document.
pub fn svg(
    track: &Track,
    filtered: &[State; MEASUREMENTS],
    smoothed: &[State; MEASUREMENTS],
) -> String {
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 960 360' width='960' height='360' \
         font-family='sans-serif' font-size='13'>\n<rect width='960' height='360' fill='white'/>\n",
    );
    axes(&mut svg);
    line(&mut svg, GREY, 5.0, (0..=SECONDS).map(truth));
    line(
        &mut svg,
        ORANGE,
        1.5,
        filtered.iter().copied().map(position),
    );
    line(&mut svg, BLUE, 2.0, smoothed.iter().copied().map(position));
    for &position in track {
        let [x, y] = pixel(position);
        push(
            &mut svg,
            format_args!("<circle cx='{x:.1}' cy='{y:.1}' r='2' fill='{INK}'/>"),
        );
    }
    for (x, colour, name) in [
        (330, INK, "measured"),
        (430, GREY, "true"),
        (500, ORANGE, "filtered"),
        (600, BLUE, "smoothed"),
    ] {
        push(
            &mut svg,
            format_args!(
                "<circle cx='{x}' cy='20' r='4' fill='{colour}'/><text x='{}' y='24' fill='{INK}'>{name}</text>",
                x + 10
            ),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The pixel of a position (m): 1.4 pixels per metre both ways.
fn pixel([x, y]: [f64; 2]) -> [f64; 2] {
    [90.0 + 1.4 * x, 165.0 - 1.4 * y]
}

fn axes(svg: &mut String) {
    for x in (0..=600).step_by(100) {
        let [at, _] = pixel([f64::from(x), 0.0]);
        push(
            svg,
            format_args!(
                "<path d='M{at:.1} 40V300' stroke='#e4e4e4'/>\
                 <text x='{at:.1}' y='318' text-anchor='middle' fill='{INK}'>{x}</text>"
            ),
        );
    }
    for y in (-80..=80).step_by(40) {
        let [_, at] = pixel([0.0, f64::from(y)]);
        push(
            svg,
            format_args!(
                "<path d='M60 {at:.1}H950' stroke='#e4e4e4'/>\
                 <text x='54' y='{:.1}' text-anchor='end' fill='{INK}'>{y}</text>",
                at + 4.0
            ),
        );
    }
    push(
        svg,
        format_args!("<text x='510' y='345' text-anchor='middle' fill='{INK}'>east (m)</text>"),
    );
    push(
        svg,
        format_args!(
            "<text transform='translate(18 165) rotate(-90)' text-anchor='middle' fill='{INK}'>north (m)</text>"
        ),
    );
}

fn line(svg: &mut String, colour: &str, width: f64, positions: impl Iterator<Item = [f64; 2]>) {
    let points = positions
        .map(|position| {
            let [x, y] = pixel(position);
            format!("{x:.1},{y:.1}")
        })
        .collect::<Vec<_>>()
        .join(" ");
    push(
        svg,
        format_args!(
            "<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='{width}' stroke-linejoin='round'/>"
        ),
    );
}

fn push(svg: &mut String, element: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = writeln!(svg, "{element}");
}
