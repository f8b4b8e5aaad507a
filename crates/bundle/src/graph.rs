//! The HNSW graph (Malkov and Yashunin, 2018, arXiv:1603.09320): the neighbours of each vector on
//! each layer.
//!
//! The vectors themselves are in shards of their own. The base layer has every vector, each layer
//! above it a sample of the one below. In a small corpus a comparison with every vector is as fast,
//! so small bundles have no graph.
//!
//! | field | encoding |
//! |---|---|
//! | `n_vectors` | varint |
//! | `entry` | varint: a vector of the topmost layer |
//! | `n_layers` | varint, at least 1, base layer included |
//! | layers | base layer first |
//!
//! A layer:
//!
//! - `n_nodes`: varint; absent in the base layer
//! - nodes: `n_nodes` varints, the distance from the node before, minus one; absent in the base
//!   layer
//! - degrees: a varint for each node
//! - neighbours: for each node, ascending: varints, the distance from the neighbour before, minus
//!   one
//!
//! Once deflated, distances take two thirds of the bytes of u32 neighbours (76.6 against 111.4 for
//! each of 6,000 vectors of 256 dimensions; `build/examples/graph_cost.rs`). In memory the graph
//! has offsets and u32 neighbours.

#![doc(alias = "deferred")]

use crate::codec::{Reader, put_varint};
use crate::limits::MAX_LAYERS;
use crate::{Error, Stats, VectorId};

const WHAT: &str = "graph";

/// One layer: its nodes in ascending order, each with its neighbours.
pub type LayerLists = Vec<(VectorId, Vec<VectorId>)>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Layer {
    /// The layer's nodes, ascending; empty in the base layer, which has all vectors.
    nodes: Vec<u32>,
    /// The start of each node's neighbours; the last number is the end of the last node's
    /// neighbours.
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

/// A graph over all vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    n_vectors: u32,
    entry: u32,
    layers: Vec<Layer>,
}

impl Graph {
    /// Makes a graph of these layers, base layer first. Neighbour lists are sorted; duplicates and
    /// the node itself are removed.
    ///
    /// # Errors
    /// If the base layer is not exactly the vectors 0, 1, 2, ..., the nodes of a layer do not
    /// ascend, a neighbour is not on its layer, an upper layer has a node that the layer below
    /// lacks, or the entry is not on the topmost layer.
    pub fn new(entry: VectorId, layers: Vec<LayerLists>) -> Result<Self, Error> {
        let n_vectors = layers.first().map_or(0, Vec::len) as u32;
        let mut graph =
            Self { n_vectors, entry: entry.0, layers: Vec::with_capacity(layers.len()) };
        for (height, lists) in layers.into_iter().enumerate() {
            let mut layer = Layer { nodes: Vec::new(), offsets: vec![0], neighbours: Vec::new() };
            for (i, (node, mut neighbours)) in lists.into_iter().enumerate() {
                if height == 0 {
                    if node.index() != i {
                        return Err(Error::malformed(
                            WHAT,
                            "the base layer must hold every vector in order",
                        ));
                    }
                } else {
                    layer.nodes.push(node.0);
                }
                neighbours.sort_unstable();
                neighbours.dedup();
                layer.neighbours.extend(neighbours.iter().filter(|&&n| n != node).map(|n| n.0));
                layer.offsets.push(layer.neighbours.len() as u32);
            }
            graph.layers.push(layer);
        }
        graph.check()?;
        Ok(graph)
    }

    /// Checks the rules that hold for every graph.
    fn check(&self) -> Result<(), Error> {
        let broken = |why| Err(Error::malformed(WHAT, why));
        if self.layers.is_empty() || self.layers.len() > MAX_LAYERS {
            return broken("the number of layers is not 1 to 32");
        }
        // The number of layers that each vector has been found on, so that one array serves all
        // layers.
        let mut height_of = vec![1u8; self.n_vectors as usize];
        for (height, layer) in self.layers.iter().enumerate() {
            if height > 0 {
                if layer.nodes.is_empty() || !layer.nodes.is_sorted_by(|a, b| a < b) {
                    return broken("the nodes of a layer do not ascend");
                }
                for &node in &layer.nodes {
                    match height_of.get_mut(node as usize) {
                        Some(mark) if usize::from(*mark) == height => *mark += 1,
                        _ => return broken("a layer has a node that the layer below lacks"),
                    }
                }
            }
            let in_layer = |n: &u32| {
                height_of.get(*n as usize).is_some_and(|&mark| usize::from(mark) == height + 1)
            };
            if !layer.neighbours.iter().all(in_layer) {
                return broken("a neighbour is not on its layer");
            }
        }
        match height_of.get(self.entry as usize) {
            Some(&mark) if usize::from(mark) == self.layers.len() => Ok(()),
            _ => broken("the entry is not on the topmost layer"),
        }
    }

    /// Returns the number of vectors.
    pub fn n_vectors(&self) -> u32 {
        self.n_vectors
    }

    /// Returns the vector of the topmost layer where a search begins.
    pub fn entry(&self) -> VectorId {
        VectorId(self.entry)
    }

    /// Returns the number of layers, including the base layer (0).
    pub fn n_layers(&self) -> usize {
        self.layers.len()
    }

    /// Returns the number of neighbours, on all layers.
    pub fn n_edges(&self) -> usize {
        self.layers.iter().map(|layer| layer.neighbours.len()).sum()
    }

    /// Returns the neighbours of `node` on the base layer, as [`VectorId`]s, ascending; empty for a
    /// vector that does not exist. O(1).
    #[inline]
    pub fn base_neighbours(&self, node: VectorId) -> &[u32] {
        self.layers.first().map_or(&[], |layer| layer.at(node.index()))
    }

    /// Returns the neighbours of `node` on a layer, as [`VectorId`]s, ascending; empty for a vector
    /// that is not on the layer. O(1) on the base layer, O(log nodes) above.
    pub fn neighbours(&self, layer: usize, node: VectorId) -> &[u32] {
        if layer == 0 {
            return self.base_neighbours(node);
        }
        let Some(layer) = self.layers.get(layer) else { return &[] };
        match layer.nodes.binary_search(&node.0) {
            Ok(i) => layer.at(i),
            Err(_) => &[],
        }
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.layers
            .iter()
            .map(|layer| 4 * (layer.nodes.len() + layer.offsets.len() + layer.neighbours.len()))
            .sum()
    }

    /// Writes the graph in the format that this module's documentation describes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, self.n_vectors);
        put_varint(&mut out, self.entry);
        put_varint(&mut out, self.layers.len() as u32);
        for (height, layer) in self.layers.iter().enumerate() {
            if height > 0 {
                put_varint(&mut out, layer.nodes.len() as u32);
                put_ascending(&mut out, &layer.nodes);
            }
            for pair in layer.offsets.windows(2) {
                put_varint(&mut out, pair[1] - pair[0]);
            }
            for i in 0..layer.offsets.len() - 1 {
                put_ascending(&mut out, layer.at(i));
            }
        }
        out
    }

    /// Reads the output of [`Graph::to_bytes`].
    ///
    /// # Errors
    /// If the bytes break the format, or the number of vectors is not the manifest's.
    pub fn from_bytes(raw: &[u8], stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n_vectors = reader.varint()?;
        if n_vectors != stats.n_vectors {
            return Err(Error::Length {
                what: "vectors of the graph",
                expected: stats.n_vectors.into(),
                got: n_vectors.into(),
            });
        }
        reader.fits(n_vectors as usize, 1)?;
        let entry = reader.varint()?;
        let n_layers = reader.varint()? as usize;
        if n_layers > MAX_LAYERS {
            return Err(Error::Limit {
                what: "layers of the graph",
                limit: MAX_LAYERS as u64,
                got: n_layers as u64,
            });
        }
        let mut layers = Vec::with_capacity(n_layers);
        for height in 0..n_layers {
            let mut nodes = Vec::new();
            let mut n_nodes = n_vectors as usize;
            if height > 0 {
                n_nodes = reader.count(1)?;
                nodes.reserve_exact(n_nodes);
                read_ascending(&mut reader, n_nodes, n_vectors, &mut nodes)?;
            }
            reader.fits(n_nodes, 1)?;
            let mut offsets = Vec::with_capacity(n_nodes + 1);
            let mut sum = 0u64;
            offsets.push(0);
            for _ in 0..n_nodes {
                sum += u64::from(reader.varint()?);
                if sum > raw.len() as u64 {
                    return Err(Error::Truncated {
                        what: WHAT,
                        needed: sum,
                        left: raw.len() as u64,
                    });
                }
                offsets.push(sum as u32);
            }
            reader.fits(sum as usize, 1)?;
            let mut neighbours = Vec::with_capacity(sum as usize);
            for pair in offsets.windows(2) {
                read_ascending(
                    &mut reader,
                    (pair[1] - pair[0]) as usize,
                    n_vectors,
                    &mut neighbours,
                )?;
            }
            layers.push(Layer { nodes, offsets, neighbours });
        }
        reader.finish()?;
        let graph = Self { n_vectors, entry, layers };
        graph.check()?;
        Ok(graph)
    }
}

impl Layer {
    #[inline]
    fn at(&self, i: usize) -> &[u32] {
        match (self.offsets.get(i), self.offsets.get(i + 1)) {
            (Some(&start), Some(&end)) => {
                self.neighbours.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

fn put_ascending(out: &mut Vec<u8>, ids: &[u32]) {
    let mut next = 0;
    for &id in ids {
        put_varint(out, id - next);
        next = id + 1;
    }
}

fn read_ascending(
    reader: &mut Reader<'_>,
    n: usize,
    limit: u32,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let mut next = 0u64;
    for _ in 0..n {
        let id = next + u64::from(reader.varint()?);
        if id >= u64::from(limit) {
            return Err(reader.malformed("a vector is beyond the last"));
        }
        out.push(id as u32);
        next = id + 1;
    }
    Ok(())
}
