//! Squarified treemap: a rectangle is cut into one rectangle per size, with areas in proportion and as square as can be.
//!
//! Sizes are laid in rows along the shorter side; a row takes one more as long as that makes its worst rectangle no longer.

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// One rectangle for each of the sizes, which come largest first; nothing gets an empty one.
pub(super) fn squarify(sizes: &[f64], whole: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let scale = if total > 0.0 { whole.width * whole.height / total } else { 0.0 };
    let areas: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    let mut placed = Vec::with_capacity(sizes.len());
    let mut free = whole;
    let mut rest = areas.as_slice();
    while !rest.is_empty() {
        let side = free.width.min(free.height);
        let mut length = 1;
        while length < rest.len() && worst(&rest[..=length], side) <= worst(&rest[..length], side) {
            length += 1;
        }
        let (row, later) = rest.split_at(length);
        free = place(row, free, &mut placed);
        rest = later;
    }
    placed
}

/// How much longer than wide the worst rectangle of a row is; the row's areas come largest first.
fn worst(row: &[f64], side: f64) -> f64 {
    let sum: f64 = row.iter().sum();
    let (largest, smallest) = (row.first().copied().unwrap_or(0.0), row.last().copied().unwrap_or(0.0));
    let thickness = sum / side;
    (largest / (thickness * thickness)).max(thickness * thickness / smallest)
}

/// Puts a row along the shorter side, and gives what is left.
fn place(row: &[f64], free: Area, placed: &mut Vec<Area>) -> Area {
    let sum: f64 = row.iter().sum();
    let upright = free.width >= free.height;
    let side = if upright { free.height } else { free.width };
    let thickness = if side > 0.0 { sum / side } else { 0.0 };
    let mut along = 0.0;
    for area in row {
        let length = if thickness > 0.0 { area / thickness } else { 0.0 };
        placed.push(if upright {
            Area { left: free.left, top: free.top + along, width: thickness, height: length }
        } else {
            Area { left: free.left + along, top: free.top, width: length, height: thickness }
        });
        along += length;
    }
    if upright {
        Area { left: free.left + thickness, width: (free.width - thickness).max(0.0), ..free }
    } else {
        Area { top: free.top + thickness, height: (free.height - thickness).max(0.0), ..free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Area = Area { left: 10.0, top: 20.0, width: 600.0, height: 400.0 };

    fn overlap(a: &Area, b: &Area) -> f64 {
        let width = (a.left + a.width).min(b.left + b.width) - a.left.max(b.left);
        let height = (a.top + a.height).min(b.top + b.height) - a.top.max(b.top);
        width.max(0.0) * height.max(0.0)
    }

    #[test]
    fn areas_are_in_proportion_inside_and_apart() {
        let many: Vec<f64> = (1..200).rev().map(|n| f64::from(n * n)).collect();
        for sizes in [&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0][..], &[1.0], &[1e12, 1.0, 1.0], &many] {
            let areas = squarify(sizes, WHOLE);
            assert_eq!(areas.len(), sizes.len());
            let scale = WHOLE.width * WHOLE.height / sizes.iter().sum::<f64>();
            for (number, (area, size)) in areas.iter().zip(sizes).enumerate() {
                assert!((area.width * area.height - size * scale).abs() < 1e-6, "{area:?} for {size}");
                assert!(overlap(area, &WHOLE) > area.width * area.height - 1e-6, "{area:?} is outside");
                for other in &areas[number + 1..] {
                    assert!(overlap(area, other) < 1e-6, "{area:?} and {other:?}");
                }
            }
        }
    }

    #[test]
    fn rectangles_are_nearly_square() {
        // The example of the article that introduced the method: 6 by 4, the worst is 2.78 times longer than wide.
        let whole = Area { left: 0.0, top: 0.0, width: 6.0, height: 4.0 };
        let ratio = |area: &Area| (area.width / area.height).max(area.height / area.width);
        let areas = squarify(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], whole);
        assert!((areas.iter().map(ratio).fold(0.0, f64::max) - 25.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_and_empty_sizes_do_no_harm() {
        assert!(squarify(&[], WHOLE).is_empty());
        for areas in [squarify(&[0.0, 0.0], WHOLE), squarify(&[5.0, 0.0], WHOLE)] {
            assert!(areas.iter().all(|a| a.width.is_finite() && a.height.is_finite()), "{areas:?}");
            assert!(areas[1].width * areas[1].height == 0.0);
        }
    }
}
