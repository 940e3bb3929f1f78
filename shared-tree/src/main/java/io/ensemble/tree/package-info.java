/**
 * A tree of nodes that processes share by name: paths with values, owners and permissions,
 * transactions over many nodes, watches and quotas ("OXenstored: An Efficient Hierarchical and
 * Transactional Database using Functional Programming with Reference Cell Comparisons").
 */
@NullMarked
package io.ensemble.tree;

import org.jspecify.annotations.NullMarked;
