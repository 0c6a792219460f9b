//! The drive as a picture: the path seen from above, and speed and controls over time.

use std::fmt::Write;

use crate::car::{Drive, PER_KNOT};

const INK: &str = "#333";
const GRID: &str = "#e4e4e4";
const BLUE: &str = "#2f6db3";
const ORANGE: &str = "#d9822b";
const GREEN: &str = "#3b8f5a";

/// An SVG document.
pub fn svg(drive: &Drive, knots: &[[f64; PER_KNOT]]) -> String {
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 780' width='720' height='780' \
         font-family='sans-serif' font-size='13'>\n<rect width='720' height='780' fill='white'/>\n",
    );
    path(&mut svg, drive, knots);
    controls(&mut svg, drive, knots);
    svg.push_str("</svg>\n");
    svg
}

fn path(svg: &mut String, drive: &Drive, knots: &[[f64; PER_KNOT]]) {
    // 58 pixels per metre both ways.
    let panel = Panel {
        left: 70.0,
        top: 30.0,
        width: 638.0,
        height: 435.0,
        x: [-0.5, 10.5],
        y: [-0.75, 6.75],
    };
    panel.axes(svg, [2.0, 1.0], ["x (m)", "y (m)"]);
    for [x, y, radius] in drive.obstacles {
        let ([x, y], radius) = (
            panel.at(x, y),
            radius * panel.width / (panel.x[1] - panel.x[0]),
        );
        element(
            svg,
            &format!(
                "circle cx='{x:.1}' cy='{y:.1}' r='{radius:.1}' fill='#c9ced6' stroke='#8a93a0' stroke-width='1.5'"
            ),
        );
    }
    panel.line(svg, BLUE, knots.iter().map(|knot| (knot[0], knot[1])));
    for &[x, y, ..] in knots {
        let [x, y] = panel.at(x, y);
        element(
            svg,
            &format!("circle cx='{x:.1}' cy='{y:.1}' r='3.2' fill='{BLUE}'"),
        );
    }
    for ([x, y, ..], name, colour) in [
        (drive.start, "start", GREEN),
        (drive.goal, "goal", "#b3393d"),
    ] {
        let [x, y] = panel.at(x, y);
        element(
            svg,
            &format!("circle cx='{x:.1}' cy='{y:.1}' r='6' fill='{colour}'"),
        );
        text(svg, x, y + 22.0, "middle", colour, name);
    }
}

fn controls(svg: &mut String, drive: &Drive, knots: &[[f64; PER_KNOT]]) {
    let curves = [
        (3, BLUE, "speed (m/s)"),
        (4, ORANGE, "acceleration (m/s²)"),
        (5, GREEN, "turn rate (rad/s)"),
    ];
    let values = curves
        .iter()
        .flat_map(|&(column, ..)| knots.iter().map(move |knot| knot[column]));
    let [least, most] = values.fold([0.0_f64; 2], |[least, most], value| {
        [least.min(value), most.max(value)]
    });
    let panel = Panel {
        left: 70.0,
        top: 555.0,
        width: 638.0,
        height: 170.0,
        x: [0.0, drive.seconds],
        y: [least - 0.2, most + 0.2],
    };
    panel.axes(svg, [1.0, 1.0], ["time (s)", ""]);
    for (row, (column, colour, name)) in curves.into_iter().enumerate() {
        let points = knots.iter().enumerate();
        panel.line(
            svg,
            colour,
            points.map(|(knot, values)| (drive.time(knot), values[column])),
        );
        let x = panel.left + [20.0, 150.0, 330.0][row];
        element(
            svg,
            &format!("path d='M{x} 538h22' stroke='{colour}' stroke-width='2.5'"),
        );
        text(svg, x + 28.0, 542.0, "start", INK, name);
    }
}

/// A rectangle of the picture, in pixels, and the values at its edges.
struct Panel {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: [f64; 2],
    y: [f64; 2],
}

impl Panel {
    /// The pixel of a value.
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        [
            self.left + self.width * (x - self.x[0]) / (self.x[1] - self.x[0]),
            self.top + self.height * (self.y[1] - y) / (self.y[1] - self.y[0]),
        ]
    }

    /// Frame, grid and numbers, and what the axes are.
    fn axes(&self, svg: &mut String, [x_tick, y_tick]: [f64; 2], [x_name, y_name]: [&str; 2]) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        for value in ticks(self.x, x_tick) {
            let [x, _] = self.at(value, 0.0);
            element(
                svg,
                &format!("path d='M{x:.1} {}V{bottom}' stroke='{GRID}'", self.top),
            );
            text(svg, x, bottom + 18.0, "middle", INK, &value.to_string());
        }
        for value in ticks(self.y, y_tick) {
            let [_, y] = self.at(0.0, value);
            element(
                svg,
                &format!("path d='M{} {y:.1}H{right}' stroke='{GRID}'", self.left),
            );
            text(
                svg,
                self.left - 8.0,
                y + 4.0,
                "end",
                INK,
                &value.to_string(),
            );
        }
        element(
            svg,
            &format!(
                "rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='{INK}'",
                self.left, self.top, self.width, self.height
            ),
        );
        text(
            svg,
            self.left + self.width / 2.0,
            bottom + 38.0,
            "middle",
            INK,
            x_name,
        );
        if !y_name.is_empty() {
            let y = self.top + self.height / 2.0;
            let turned = format!(
                "<text transform='translate(24 {y:.1}) rotate(-90)' text-anchor='middle' fill='{INK}'>{y_name}</text>\n"
            );
            svg.push_str(&turned);
        }
    }

    fn line(&self, svg: &mut String, colour: &str, points: impl Iterator<Item = (f64, f64)>) {
        let mut list = String::new();
        for (x, y) in points {
            let [x, y] = self.at(x, y);
            // Writing to a string can't fail.
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        element(
            svg,
            &format!(
                "polyline points='{}' fill='none' stroke='{colour}' stroke-width='2.5' stroke-linejoin='round'",
                list.trim_end()
            ),
        );
    }
}

/// The multiples of `tick` between two values.
fn ticks([from, to]: [f64; 2], tick: f64) -> impl Iterator<Item = f64> {
    let first = (from / tick).ceil();
    (0u32..)
        // Adding zero turns -0 into 0.
        .map(move |i| (first + f64::from(i)) * tick + 0.0)
        .take_while(move |&value| value <= to)
}

fn element(svg: &mut String, content: &str) {
    svg.push('<');
    svg.push_str(content);
    svg.push_str("/>\n");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, colour: &str, content: &str) {
    let text = format!(
        "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}' fill='{colour}'>{content}</text>\n"
    );
    svg.push_str(&text);
}
