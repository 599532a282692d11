//! `sqasp plot`: tables as pictures.

use crate::Budget;
use crate::cli::args::{PlotArguments, PlotKind};
use crate::cli::{Exit, Failure, files};
use crate::plot::{Labels, NumberTable, Point, TableError, cactus, lines, scatter};

pub(super) fn plot(arguments: &PlotArguments) -> Result<Exit, Failure> {
    let invalid = |message: String| {
        let name = arguments.table.display();
        Failure::new(Exit::InvalidInput, format!("{name}: {message}"))
    };
    if let Some(file) = &arguments.output {
        files::check_writable(file, [arguments.table.as_path()])?;
    }
    let budget = Budget::with_memory(None);
    let bytes = files::read(&arguments.table, &budget)?;
    let text = String::from_utf8(bytes).map_err(|error| invalid(error.to_string()))?;
    let table = NumberTable::read(&text).map_err(|error| invalid(error.to_string()))?;
    let columns = match &arguments.columns[..] {
        [] => table.names()[1..].to_vec(),
        given => given.to_vec(),
    };
    let picture = draw(arguments, &table, &columns).map_err(invalid)?;
    files::write(arguments.output.as_deref(), &budget, |to| {
        to.write_all(picture.as_bytes())
    })?;
    Ok(Exit::Answered)
}

fn draw(
    arguments: &PlotArguments,
    table: &NumberTable,
    columns: &[String],
) -> Result<String, String> {
    let say = |error: TableError| error.to_string();
    let labels = |x: &str, y: &str| Labels {
        title: arguments.title.clone(),
        x: arguments.x.clone().unwrap_or_else(|| x.to_owned()),
        y: arguments.y.clone().unwrap_or_else(|| y.to_owned()),
    };
    match arguments.kind {
        PlotKind::Lines => {
            let first = &table.names()[0];
            let places = table.numbers(first).map_err(say)?;
            let mut series = Vec::new();
            for name in columns {
                let values = table.numbers(name).map_err(say)?;
                let points = places.iter().zip(values).filter_map(|(x, value)| {
                    let (x, value) = ((*x)?, value?);
                    Some(Point {
                        x,
                        low: value,
                        high: value,
                    })
                });
                series.push((name.clone(), points.collect()));
            }
            let y = if let [one] = columns { one } else { "" };
            lines(&labels(first, y), &series).map_err(|error| error.to_string())
        }
        PlotKind::Cactus => {
            let mut solvers = Vec::new();
            for name in columns {
                let times = table.numbers(name).map_err(say)?;
                solvers.push((name.clone(), times.into_iter().flatten().collect()));
            }
            let labels = labels("instances solved", "seconds for each");
            cactus(&labels, &solvers).map_err(|error| error.to_string())
        }
        PlotKind::Scatter => {
            let [x, y] = columns else {
                return Err(format!(
                    "a scatter plot takes two columns; name them with --columns (given: {})",
                    columns.join(", ")
                ));
            };
            let across = table.numbers(x).map_err(say)?;
            let up = table.numbers(y).map_err(say)?;
            let instances: Vec<_> = across.into_iter().zip(up).collect();
            let seconds = |name: &str| format!("{name}, seconds");
            scatter(&labels(&seconds(x), &seconds(y)), &instances)
                .map_err(|error| error.to_string())
        }
    }
}
