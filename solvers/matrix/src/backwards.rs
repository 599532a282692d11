//! Backward induction: the value of each state after those of the states that follow.

use crate::bounds::Bounds;
use crate::component::{Mixed, component};
use crate::explore::StateList;
use crate::options::Options;
use crate::stages::{Node, Stages};
use crate::sure::find_sure;
use base::graph::{Components, Graph};
use limits::{StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds of strategy iteration in a component at first. While there is time, and bounds are not close, all components are valued again with
/// twice as many.
const ROUNDS: usize = 60;

/// The bounds of listed states.
#[derive(Clone, Debug, Default)]
pub struct Valuation {
    /// By steps left, and by state as far as so many steps are left there; one list for all if that makes no difference.
    pub layers: Vec<Vec<Bounds>>,
    /// Whether values do not depend on the steps left.
    pub is_stationary: bool,
    /// The most steps that play can take, if all states are listed and none comes back.
    pub longest: Option<u32>,
    /// Whether plays that were not over after the last step count, as worth nothing.
    pub cuts_off: bool,
    /// Mixtures of states that lead to themselves.
    pub mixtures: FxHashMap<u32, Mixed>,
    /// States of value 1 whose mixtures come as near to it as wanted, and never get it.
    pub limit_sure: FxHashSet<u32>,
    /// The bounds of the start where limit-sure states count as 1. Mixtures may guarantee less.
    pub supremum: Option<Bounds>,
    /// Whether more steps can make a value smaller.
    pub may_fall: bool,
    /// The limit that ended the work.
    pub stopped: Option<StopReason>,
}

/// Values listed states. With a number of steps, states at that distance have none left.
pub fn value_all<S>(
    listed: &StateList<S, Stages>,
    depth: Option<u32>,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Valuation {
    let graph = listed.nodes.graph();
    let in_order = graph.order().map(|(_, height)| height);
    let is_stationary = match (depth, in_order) {
        (None, _) => true,
        (Some(depth), Some(height)) => height <= depth,
        (Some(_), None) => false,
    };
    let mut valuation = Valuation {
        is_stationary,
        longest: in_order.filter(|_| listed.stopped.is_none()),
        may_fall: !listed.nodes.unfinished.is_zero(),
        ..Valuation::default()
    };
    let stopped = match (is_stationary, depth) {
        (false, Some(depth)) => valuation.by_layers(listed, depth, watch),
        _ => valuation.by_components(listed, &graph, options, watch),
    };
    valuation.stopped = stopped.err();
    valuation
}

impl Valuation {
    /// A value for each state, one component after the other.
    fn by_components<S>(
        &mut self,
        listed: &StateList<S, Stages>,
        graph: &Graph,
        options: &Options,
        watch: &mut Watch<'_>,
    ) -> Result<(), StopReason> {
        let components = graph.components();
        self.layers = vec![vec![Bounds::unknown(); listed.states.len()]];
        let mut pass = Pass {
            stages: &listed.nodes,
            graph,
            components: &components,
            options,
            rounds: ROUNDS,
            is_open: false,
        };
        pass.run(self, watch)?;
        if self.limit_sure.is_empty() {
            return self.go_on(&mut pass, watch);
        }
        // Mixtures guarantee less than 1 where it is the value.
        let mut ideal = Valuation {
            layers: self.layers.clone(),
            limit_sure: self.limit_sure.clone(),
            ..Valuation::default()
        };
        for &state in &self.limit_sure {
            ideal.layers[0][state as usize] = Bounds::exact(BigRational::one());
        }
        let mut found = Ok(());
        if !self.limit_sure.contains(&0) {
            found = pass.run(&mut ideal, watch);
            found = found.and_then(|()| ideal.go_on(&mut pass, watch));
        }
        let [own, ideal] = [&self.layers, &ideal.layers].map(|layers| &layers[0][0]);
        self.supremum = Some(Bounds::new(
            own.lower().max(ideal.lower()).clone(),
            own.upper().min(ideal.upper()).clone(),
        ));
        found
    }

    /// Values all components again, with more and more rounds, while there is time and that may help.
    fn go_on(&mut self, pass: &mut Pass<'_>, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        while watch.limits().deadline.is_some() && pass.is_open {
            pass.rounds *= 2;
            let (mut next, taken) = (self.clone(), watch.taken());
            let found = pass.run(&mut next, watch);
            watch.give_memory_back(watch.taken() - taken);
            let [before, after] = [&self.layers, &next.layers].map(|layers| &layers[0][0]);
            if before.lower() <= after.lower() && after.upper() <= before.upper() {
                *self = next;
            }
            found.and_then(|()| watch.check_limits())?;
        }
        Ok(())
    }

    /// Values by steps left. A state counts while at least that many steps can be left there.
    fn by_layers<S>(
        &mut self,
        listed: &StateList<S, Stages>,
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<(), StopReason> {
        // There is a play of more steps, or one that comes back to a state.
        self.cuts_off = true;
        let mut done = 0;
        for steps in 0..=depth {
            let count = listed
                .distances
                .partition_point(|&distance| distance <= depth - steps);
            let mut layer = Vec::with_capacity(count);
            for state in 0..count {
                watch.check("values", done)?;
                done += 1;
                let bounds = match (self.layers.last(), &listed.nodes.nodes[state]) {
                    (None, Node::Stage { .. }) => Bounds::exact(listed.nodes.unfinished.clone()),
                    (None, _) => listed.nodes.one_step(state, |_| unreachable!("no stage")),
                    (Some(before), _) => listed
                        .nodes
                        .one_step(state, |target| &before[target as usize]),
                };
                watch.take_memory(bounds.bytes())?;
                layer.push(bounds);
            }
            self.layers.push(layer);
        }
        Ok(())
    }

    /// The bounds of the start.
    pub fn start(&self) -> Bounds {
        let last = self.layers.last().map(|layer| &layer[0]);
        match (self.stopped, last) {
            (_, None) => Bounds::unknown(),
            (Some(_), Some(_)) if !self.is_stationary && self.may_fall => Bounds::unknown(),
            // With more steps left the value can only be larger.
            (Some(_), Some(last)) if !self.is_stationary => {
                Bounds::new(last.lower().clone(), BigRational::one())
            }
            (_, Some(last)) => last.clone(),
        }
    }
}

/// Values of all components, each after those that it leads to.
struct Pass<'a> {
    stages: &'a Stages,
    graph: &'a Graph,
    components: &'a Components,
    options: &'a Options,
    /// The most rounds of strategy iteration in a component.
    rounds: usize,
    /// Whether more may narrow some bounds.
    is_open: bool,
}

impl Pass<'_> {
    /// Finds bounds of all states but those that are known to be limit-sure already.
    fn run(&mut self, valuation: &mut Valuation, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        let Pass { stages, graph, .. } = *self;
        self.is_open = false;
        let known = valuation.limit_sure.clone();
        let mut done = 0;
        for members in self.components.iter() {
            watch.check("values", done)?;
            done += members.len() as u64;
            let members = members.iter().copied();
            let members: Vec<u32> = members.filter(|member| !known.contains(member)).collect();
            let (bounds, sure) = (&mut valuation.layers[0], &mut valuation.limit_sure);
            match members[..] {
                [] => {}
                [state] if !graph.targets(state as usize).contains(&state) => {
                    let state = state as usize;
                    valuation.cuts_off |= matches!(stages.nodes[state], Node::Last);
                    bounds[state] = stages.one_step(state, |target| &bounds[target as usize]);
                    watch.take_memory(bounds[state].bytes())?;
                    let is_stage = matches!(stages.nodes[state], Node::Stage { .. });
                    if is_stage && !sure.is_empty() {
                        find_sure(stages, &members, bounds, sure, watch);
                    }
                }
                _ => {
                    let almost = find_sure(stages, &members, bounds, sure, watch);
                    let work = (self.options, self.rounds);
                    let (found, is_open) =
                        component(stages, &members, bounds, &almost, work, watch);
                    self.is_open |= is_open;
                    valuation.mixtures.extend(members.into_iter().zip(found));
                }
            }
        }
        Ok(())
    }
}
