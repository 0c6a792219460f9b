//! The memory of a call: what XLA assigned buffers to, as allocations of an image.

use std::collections::{BTreeMap, HashMap};

use cyxla_artifact::ArrayType;
use cyxla_native::image::{Allocation, Image, Input, Output, Role, Slice};

use super::proto::{self, BufferAllocation, BufferAssignment, Computation, Instruction, Module};
use super::schedule::for_each_slice;
use super::shape::{array_type, count};
use super::{NotExpressible, ensure, literal};

/// What a constant begins at a multiple of.
const CONSTANT_ALIGNMENT: usize = 64;
/// A result that is passed on more often than this, from instruction to instruction, is passed on in a circle.
const LONGEST_WAY: usize = 100_000;

/// A part of the result of an instruction: the instruction, and the way into its tuples.
type Position = (i64, Vec<i64>);

/// The buffers of an executable, by the numbers that XLA gave them.
#[derive(Debug)]
pub(super) struct Buffers<'m> {
    instructions: HashMap<i64, &'m Instruction>,
    computations: HashMap<i64, &'m Computation>,
    entry: &'m Computation,
    parameters: Vec<ArrayType>,
    allocations: BTreeMap<u32, BufferAllocation>,
    /// The logical buffer that is defined at a position.
    defined: HashMap<Position, i64>,
    /// The instruction that defines a logical buffer.
    definers: HashMap<i64, i64>,
    /// Where a logical buffer lies.
    slices: HashMap<i64, Slice>,
}

impl<'m> Buffers<'m> {
    pub(super) fn new(module: &'m Module, assignment: &[u8]) -> Result<Self, NotExpressible> {
        let assignment: BufferAssignment = proto::some(assignment, "its buffer assignment")?;
        let computations: HashMap<_, _> = module
            .computations
            .iter()
            .map(|computation| (computation.id, computation))
            .collect();
        let entry = computations.get(&module.entry_computation).copied();
        let entry = entry.ok_or_else(|| NotExpressible::new("it has no entry computation"))?;
        let instructions = module.computations.iter();
        let instructions = instructions.flat_map(|computation| &computation.instructions);
        let mut buffers = Self {
            instructions: instructions
                .map(|instruction| (instruction.id, instruction))
                .collect(),
            computations,
            entry,
            parameters: parameters(module)?,
            allocations: BTreeMap::new(),
            defined: HashMap::new(),
            definers: HashMap::new(),
            slices: HashMap::new(),
        };
        for buffer in assignment.buffers {
            if let Some(at) = buffer.defined_at {
                buffers.definers.insert(buffer.id, at.instruction);
                let position = (at.instruction, at.shape_index);
                buffers.defined.insert(position, buffer.id);
            }
        }
        for alias in assignment.aliases {
            if let Some(at) = alias.location {
                let position = (at.instruction, at.shape_index);
                buffers.defined.entry(position).or_insert(alias.buffer);
            }
        }
        for bytes in &assignment.allocations {
            let allocation: BufferAllocation = proto::exactly(bytes, "a buffer")?;
            buffers.assign(allocation)?;
        }
        Ok(buffers)
    }

    fn assign(&mut self, allocation: BufferAllocation) -> Result<(), NotExpressible> {
        ensure!(
            allocation.color == 0,
            "it has buffers in memory of color {}",
            allocation.color
        );
        let index = count(allocation.index, "the index of a buffer")?;
        for assigned in &allocation.assigned {
            let slice = Slice {
                allocation: index,
                offset: count(assigned.offset, "the offset of a buffer")?,
                size: count(assigned.size, "the size of a buffer")?,
            };
            self.slices.insert(assigned.buffer, slice);
        }
        self.allocations.insert(index, allocation);
        Ok(())
    }

    /// The arguments. Their allocations have XLA's numbers until [`finish`](Self::finish).
    pub(super) fn inputs(&self) -> Result<Vec<Input>, NotExpressible> {
        let mut inputs: Vec<Input> = self
            .parameters
            .iter()
            .map(|&array_type| Input {
                array_type,
                allocation: u32::MAX,
            })
            .collect();
        for (&index, allocation) in &self.allocations {
            if !allocation.is_parameter {
                continue;
            }
            ensure!(
                allocation.parameter_shape_index.is_empty(),
                "its arguments are tuples"
            );
            let number: usize = count(allocation.parameter_number, "the number of an argument")?;
            let input = inputs.get_mut(number);
            let input = input.ok_or_else(|| {
                NotExpressible::new(format!("it has a buffer of an argument {number}"))
            })?;
            input.allocation = index;
        }
        ensure!(
            inputs.iter().all(|input| input.allocation != u32::MAX),
            "one of its arguments has no buffer"
        );
        Ok(inputs)
    }

    /// The results, where XLA has them.
    pub(super) fn outputs(&self, module: &Module) -> Result<Vec<Output>, NotExpressible> {
        const TUPLE: i32 = 13;
        let program = module.host_program_shape.as_ref();
        let result = program.and_then(|program| program.result.as_ref());
        let result = result.ok_or_else(|| NotExpressible::new("it doesn't say what it gives"))?;
        let root = self.entry.root;
        if result.element_type != TUPLE {
            return Ok(vec![self.output(result, (root, Vec::new()))?]);
        }
        let parts = result.tuple_shapes.iter().zip(0..);
        parts
            .map(|(part, index)| self.output(part, (root, vec![index])))
            .collect()
    }

    fn output(&self, shape: &proto::Shape, position: Position) -> Result<Output, NotExpressible> {
        let array_type = array_type(shape, "a result")?;
        let buffer = self.buffer(position)?;
        let slice = self.slices.get(&buffer).copied();
        let mut slice = slice.ok_or_else(|| NotExpressible::new("a result has no buffer"))?;
        ensure!(
            array_type.nbytes() <= slice.size,
            "a result is larger than its buffer"
        );
        slice.size = array_type.nbytes();
        Ok(Output { array_type, slice })
    }

    /// The logical buffer at a position: of the instruction that made it, behind those that only pass it on.
    ///
    /// Source: `HloDataflowAnalysis` in xla/hlo/analysis/hlo_dataflow_analysis.cc.
    fn buffer(&self, position: Position) -> Result<i64, NotExpressible> {
        let (mut instruction, mut index) = position;
        for _ in 0..LONGEST_WAY {
            if let Some(&buffer) = self.defined.get(&(instruction, index.clone())) {
                return Ok(buffer);
            }
            let lost = || NotExpressible::new("a result can't be followed to its buffer");
            let at = self
                .instructions
                .get(&instruction)
                .copied()
                .ok_or_else(lost)?;
            let first = at.operands.first().copied();
            match at.opcode.as_str() {
                "tuple" if !index.is_empty() => {
                    let operand = usize::try_from(index.remove(0)).map_err(|_| lost())?;
                    instruction = at.operands.get(operand).copied().ok_or_else(lost)?;
                }
                "get-tuple-element" => {
                    index.insert(0, at.tuple_index);
                    instruction = first.ok_or_else(lost)?;
                }
                "bitcast" | "while" | "opt-barrier" | "domain" => {
                    instruction = first.ok_or_else(lost)?;
                }
                "call" => {
                    let called = at.called_computations.first();
                    let called = called.and_then(|called| self.computations.get(called));
                    instruction = called.ok_or_else(lost)?.root;
                }
                opcode => {
                    return Err(NotExpressible::new(format!(
                        "a result of its instruction `{opcode}` has no buffer"
                    )));
                }
            }
        }
        Err(NotExpressible::new("a result is passed on without end"))
    }

    /// Gives the image the allocations that it uses, and its slices their numbers.
    ///
    /// They are in the order in which they are met, arguments and results first: XLA numbers them in no order.
    pub(super) fn finish(&self, image: &mut Image) -> Result<(), NotExpressible> {
        let mut used: Vec<u32> = image.inputs.iter().map(|input| input.allocation).collect();
        used.extend(image.outputs.iter().map(|output| output.slice.allocation));
        for_each_slice(&mut image.schedule, &mut |slice| {
            used.push(slice.allocation);
        });
        let mut numbers = HashMap::new();
        for index in used {
            if numbers.contains_key(&index) {
                continue;
            }
            let allocation = self.allocations.get(&index);
            let allocation = allocation.ok_or_else(|| {
                NotExpressible::new(format!("a step uses the buffer {index}, which is none"))
            })?;
            let size = count(allocation.size, "the size of a buffer")?;
            let role = self.role(index, allocation, image)?;
            let number = u32::try_from(numbers.len()).map_err(NotExpressible::new)?;
            numbers.insert(index, number);
            image.allocations.push(Allocation { size, role });
        }
        let renumber = |index: &mut u32| {
            if let Some(&number) = numbers.get(index) {
                *index = number;
            }
        };
        for input in &mut image.inputs {
            renumber(&mut input.allocation);
        }
        for output in &mut image.outputs {
            renumber(&mut output.slice.allocation);
        }
        for_each_slice(&mut image.schedule, &mut |slice| {
            renumber(&mut slice.allocation);
        });
        Ok(())
    }

    fn role(
        &self,
        index: u32,
        allocation: &BufferAllocation,
        image: &mut Image,
    ) -> Result<Role, NotExpressible> {
        ensure!(
            !allocation.is_thread_local,
            "a step uses a buffer that each thread has for itself"
        );
        if allocation.is_parameter {
            let index = count(allocation.parameter_number, "the number of an argument")?;
            // What is not given back as a result is only read.
            let written = allocation.is_aliased_with_output;
            return Ok(Role::Input { index, written });
        }
        if allocation.is_constant {
            let offset = image.constants.len().next_multiple_of(CONSTANT_ALIGNMENT);
            image.constants.resize(offset, 0);
            image.constants.extend(self.constant(allocation)?);
            return Ok(Role::Constant { offset });
        }
        let whole = |output: &Output| {
            let Slice {
                allocation: of,
                offset,
                size,
            } = output.slice;
            of == index && offset == 0 && i64::try_from(size) == Ok(allocation.size)
        };
        Ok(match image.outputs.iter().position(whole) {
            Some(output) => Role::Output {
                index: u32::try_from(output).map_err(NotExpressible::new)?,
            },
            None => Role::Temporary,
        })
    }

    fn constant(&self, allocation: &BufferAllocation) -> Result<Vec<u8>, NotExpressible> {
        let buffer = match allocation.assigned.as_slice() {
            [assigned] if assigned.offset == 0 => assigned.buffer,
            _ => return Err(NotExpressible::new("several constants share a buffer")),
        };
        let definer = self.definers.get(&buffer);
        let instruction = definer.and_then(|definer| self.instructions.get(definer));
        let instruction =
            instruction.ok_or_else(|| NotExpressible::new("a constant has no instruction"))?;
        let bytes = literal::bytes(instruction)?;
        ensure!(
            i64::try_from(bytes.len()) == Ok(allocation.size),
            "a constant of {} bytes is in a buffer of {}",
            bytes.len(),
            allocation.size
        );
        Ok(bytes)
    }
}

fn parameters(module: &Module) -> Result<Vec<ArrayType>, NotExpressible> {
    let program = module.host_program_shape.as_ref();
    let program = program.ok_or_else(|| NotExpressible::new("it doesn't say what it takes"))?;
    let parameters = program.parameters.iter();
    parameters
        .map(|shape| array_type(shape, "an argument"))
        .collect()
}
