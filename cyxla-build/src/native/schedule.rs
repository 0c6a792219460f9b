//! Thunks as the steps of an image.

use std::collections::HashMap;

use cyxla_native::image::{
    ApiVersion, Conditional, Convolution, ConvolutionDimensions, Copy, CustomCall, Dot, Fft,
    FftKind, Function, FunctionKind, KernelCall, Sequence, Slice, Sort, SortDirection, Step, TopK,
    While, WindowDimension,
};

use super::attributes;
use super::link::Linker;
use super::proto::{self, Implementation, Thunk, ThunkSequence};
use super::shape::{array, axes, count, slice};
use super::{NotExpressible, ensure};

/// How deep sequences may lie in one another.
const MAX_DEPTH: u32 = 60;

/// Translates sequences, and gathers the functions that their steps call.
#[derive(Debug)]
pub(super) struct Scheduler<'l> {
    linker: &'l Linker,
    /// In the order in which steps call them, those of the same code once.
    pub(super) functions: Vec<Function>,
    numbers: HashMap<(u32, bool), u32>,
}

fn missing(what: &str) -> NotExpressible {
    NotExpressible::new(format!("a step comes without its {what}"))
}

impl<'l> Scheduler<'l> {
    pub(super) fn new(linker: &'l Linker) -> Self {
        Self {
            linker,
            functions: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// A sequence, `depth` levels deep. The allocations in its slices have XLA's numbers.
    pub(super) fn sequence(
        &mut self,
        bytes: &[u8],
        depth: u32,
    ) -> Result<Sequence, NotExpressible> {
        ensure!(depth < MAX_DEPTH, "its steps are nested too deep");
        let sequence: ThunkSequence = proto::exactly(bytes, "its schedule")?;
        let mut steps = Vec::with_capacity(sequence.thunks.len());
        for thunk in &sequence.thunks {
            steps.push(self.step(thunk, depth)?);
        }
        Ok(Sequence { steps })
    }

    fn step(&mut self, bytes: &[u8], depth: u32) -> Result<Step, NotExpressible> {
        let thunk: Thunk = proto::some(bytes, "one of its steps")?;
        let kind = &thunk.kind;
        let Some(implementation) = &thunk.implementation else {
            return Err(NotExpressible::new(format!(
                "it has a step of the kind `{kind}`"
            )));
        };
        // Only now: of a step of another kind nothing is known.
        proto::exactly::<Thunk>(bytes, &format!("its step of the kind `{kind}`"))?;
        Ok(match implementation {
            Implementation::Kernel(kernel) => Step::Kernel(self.kernel(kernel)?),
            Implementation::Copy(copy) => Step::Copy(Copy {
                source: array(copy.source.as_ref())?,
                destination: array(copy.destination.as_ref())?,
            }),
            Implementation::Call(call) => {
                let called = call.sequence.as_ref().ok_or_else(|| missing("sequence"))?;
                Step::Call(self.sequence(called, depth + 1)?)
            }
            Implementation::While(repetition) => Step::While(self.repetition(repetition, depth)?),
            Implementation::Conditional(choice) => {
                Step::Conditional(self.conditional(choice, depth)?)
            }
            Implementation::Dot(dot) => Step::Dot(self::dot(dot)?),
            Implementation::Convolution(convolution) => {
                Step::Convolution(self::convolution(convolution)?)
            }
            Implementation::Fft(fft) => Step::Fft(self::fft(fft)?),
            Implementation::Sort(sort) => Step::Sort(self.sort(sort)?),
            Implementation::TopK(top_k) => Step::TopK(TopK {
                rows: count(top_k.rows, "the number of rows")?,
                length: count(top_k.length, "the length of a row")?,
                k: count(top_k.k, "the number of the largest elements")?,
                input: slice(top_k.input.as_ref())?,
                values: slice(top_k.values.as_ref())?,
                indices: slice(top_k.indices.as_ref())?,
            }),
            Implementation::RngState(rng) => Step::RngState {
                state: slice(rng.state.as_ref())?,
                delta: rng.delta,
            },
            Implementation::PartitionId(id) => Step::PartitionId {
                result: slice(id.result.as_ref())?,
            },
            Implementation::ReplicaId(id) => Step::ReplicaId {
                result: slice(id.result.as_ref())?,
            },
            Implementation::CustomCall(call) => Step::CustomCall(custom_call(call)?),
        })
    }

    /// The number of a function in the image.
    fn function(&mut self, name: &str, kind: FunctionKind) -> Result<u32, NotExpressible> {
        let function = self.linker.function(name, kind)?;
        let next = u32::try_from(self.functions.len()).map_err(NotExpressible::new)?;
        let key = (function.entry, kind == FunctionKind::Kernel);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.functions.push(function.clone());
        }
        Ok(number)
    }

    fn kernel(&mut self, kernel: &proto::Kernel) -> Result<KernelCall, NotExpressible> {
        let groups = kernel.workgroups.as_ref();
        let groups = groups.ok_or_else(|| missing("number of workgroups"))?;
        let group = |number| count(number, "the number of workgroups");
        let arguments = kernel.arguments.iter().chain(&kernel.results);
        let arguments = arguments.map(|argument| slice(argument.slice.as_ref()));
        let alignment = kernel.alignment.as_ref().filter(|known| known.is_known);
        Ok(KernelCall {
            function: self.function(&kernel.name, FunctionKind::Kernel)?,
            workgroups: [group(groups.x)?, group(groups.y)?, group(groups.z)?],
            arguments: arguments.collect::<Result<_, _>>()?,
            results: u32::try_from(kernel.results.len()).map_err(NotExpressible::new)?,
            alignment: match alignment {
                Some(alignment) => count(alignment.value, "the alignment of arguments")?,
                None => 1,
            },
        })
    }

    fn repetition(
        &mut self,
        repetition: &proto::Repetition,
        depth: u32,
    ) -> Result<While, NotExpressible> {
        let condition = repetition.condition.as_ref();
        let body = repetition.body.as_ref();
        let trip_count = repetition.trip_count.as_ref();
        let trip_count = trip_count.filter(|known| known.is_known);
        Ok(While {
            condition: self.sequence(condition.ok_or_else(|| missing("condition"))?, depth + 1)?,
            body: self.sequence(body.ok_or_else(|| missing("body"))?, depth + 1)?,
            predicate: slice(repetition.predicate.as_ref())?,
            trip_count: trip_count
                .map(|known| count(known.value, "the number of repetitions"))
                .transpose()?,
        })
    }

    fn conditional(
        &mut self,
        choice: &proto::Choice,
        depth: u32,
    ) -> Result<Conditional, NotExpressible> {
        let branches = choice.branches.iter();
        let branches = branches.map(|branch| self.sequence(branch, depth + 1));
        Ok(Conditional {
            branches: branches.collect::<Result<_, _>>()?,
            index: slice(choice.index.as_ref())?,
        })
    }

    fn sort(&mut self, sort: &proto::Sort) -> Result<Sort, NotExpressible> {
        let direction = sort.direction.as_ref().filter(|known| known.is_known);
        Ok(Sort {
            operands: arrays(&sort.operands)?,
            axis: count(sort.axis, "an axis")?,
            stable: sort.is_stable,
            comparator: self.function(&sort.comparator, FunctionKind::Comparator)?,
            direction: match direction.map(|known| known.value) {
                Some(1) => Some(SortDirection::Ascending),
                Some(2) => Some(SortDirection::Descending),
                _ => None,
            },
        })
    }
}

fn arrays(
    protos: &[proto::ShapedSlice],
) -> Result<Vec<cyxla_native::image::Array>, NotExpressible> {
    protos.iter().map(|proto| array(Some(proto))).collect()
}

fn dot(dot: &proto::Dot) -> Result<Dot, NotExpressible> {
    let dimensions = dot.dimensions.as_ref();
    let dimensions = dimensions.ok_or_else(|| missing("axes"))?;
    Ok(Dot {
        lhs_contracting: axes(&dimensions.lhs_contracting)?,
        rhs_contracting: axes(&dimensions.rhs_contracting)?,
        lhs_batch: axes(&dimensions.lhs_batch)?,
        rhs_batch: axes(&dimensions.rhs_batch)?,
        lhs: array(dot.lhs.as_ref())?,
        rhs: array(dot.rhs.as_ref())?,
        result: array(dot.result.as_ref())?,
    })
}

fn convolution(convolution: &proto::Convolution) -> Result<Convolution, NotExpressible> {
    let axis = |number| count(number, "an axis");
    let of = convolution.dimensions.as_ref();
    let of = of.ok_or_else(|| missing("axes"))?;
    let window = convolution.window.as_ref();
    let window = window.ok_or_else(|| missing("window"))?.dimensions.iter();
    let window = window.map(|dimension| {
        Ok(WindowDimension {
            size: count(dimension.size, "the size of a window")?,
            stride: count(dimension.stride, "a stride")?,
            padding_low: dimension.padding_low,
            padding_high: dimension.padding_high,
            window_dilation: count(dimension.window_dilation, "a dilation")?,
            base_dilation: count(dimension.base_dilation, "a dilation")?,
            reversal: dimension.reversal,
        })
    });
    Ok(Convolution {
        dimensions: ConvolutionDimensions {
            input_batch: axis(of.input_batch)?,
            input_feature: axis(of.input_feature)?,
            input_spatial: axes(&of.input_spatial)?,
            kernel_input_feature: axis(of.kernel_input_feature)?,
            kernel_output_feature: axis(of.kernel_output_feature)?,
            kernel_spatial: axes(&of.kernel_spatial)?,
            output_batch: axis(of.output_batch)?,
            output_feature: axis(of.output_feature)?,
            output_spatial: axes(&of.output_spatial)?,
        },
        window: window.collect::<Result<_, NotExpressible>>()?,
        feature_groups: count(convolution.feature_groups, "the number of feature groups")?,
        input: array(convolution.input.as_ref())?,
        kernel: array(convolution.kernel.as_ref())?,
        result: array(convolution.result.as_ref())?,
    })
}

fn fft(fft: &proto::Fft) -> Result<Fft, NotExpressible> {
    let lengths = fft.lengths.iter();
    let lengths = lengths.map(|&length| count(length, "the length of a Fourier transform"));
    Ok(Fft {
        kind: match fft.kind {
            0 => FftKind::Fft,
            1 => FftKind::Ifft,
            2 => FftKind::Rfft,
            3 => FftKind::Irfft,
            kind => {
                return Err(NotExpressible::new(format!(
                    "it has a Fourier transform of kind {kind}"
                )));
            }
        },
        lengths: lengths.collect::<Result<_, _>>()?,
        input: array(fft.input.as_ref())?,
        result: array(fft.result.as_ref())?,
    })
}

fn custom_call(call: &proto::CustomCall) -> Result<CustomCall, NotExpressible> {
    const TYPED_FFI: i32 = 4;
    let target = call.target.clone();
    ensure!(
        call.api_version == TYPED_FFI,
        "it calls `{target}` in an older way than XLA's typed FFI"
    );
    let buffers = call.buffers.as_ref();
    let buffers = buffers.ok_or_else(|| missing("arrays"))?;
    Ok(CustomCall {
        attributes: attributes::parse(&call.backend_config).ok_or_else(|| {
            NotExpressible::new(format!(
                "it calls `{target}` with attributes that can't be read: {}",
                call.backend_config
            ))
        })?,
        target,
        api_version: ApiVersion::TypedFfi,
        operands: arrays(&buffers.operands)?,
        results: arrays(&buffers.results)?,
    })
}

/// Visits all slices of a sequence.
pub(super) fn for_each_slice(sequence: &mut Sequence, visit: &mut dyn FnMut(&mut Slice)) {
    for step in &mut sequence.steps {
        match step {
            Step::Kernel(call) => {
                for argument in &mut call.arguments {
                    visit(argument);
                }
            }
            Step::Copy(copy) => {
                visit(&mut copy.source.slice);
                visit(&mut copy.destination.slice);
            }
            Step::Call(called) => for_each_slice(called, visit),
            Step::While(repetition) => {
                visit(&mut repetition.predicate);
                for_each_slice(&mut repetition.condition, visit);
                for_each_slice(&mut repetition.body, visit);
            }
            Step::Conditional(choice) => {
                visit(&mut choice.index);
                for branch in &mut choice.branches {
                    for_each_slice(branch, visit);
                }
            }
            Step::Dot(dot) => {
                visit(&mut dot.lhs.slice);
                visit(&mut dot.rhs.slice);
                visit(&mut dot.result.slice);
            }
            Step::Convolution(convolution) => {
                visit(&mut convolution.input.slice);
                visit(&mut convolution.kernel.slice);
                visit(&mut convolution.result.slice);
            }
            Step::Fft(fft) => {
                visit(&mut fft.input.slice);
                visit(&mut fft.result.slice);
            }
            Step::Sort(sort) => {
                for operand in &mut sort.operands {
                    visit(&mut operand.slice);
                }
            }
            Step::TopK(top_k) => {
                visit(&mut top_k.input);
                visit(&mut top_k.values);
                visit(&mut top_k.indices);
            }
            Step::RngState { state: result, .. }
            | Step::PartitionId { result }
            | Step::ReplicaId { result } => visit(result),
            Step::CustomCall(call) => {
                for operand in &mut call.operands {
                    visit(&mut operand.slice);
                }
                for result in &mut call.results {
                    visit(&mut result.slice);
                }
            }
            // No other kind is made here.
            _ => {}
        }
    }
}
