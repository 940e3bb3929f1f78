/** Measurements of shared trees beside etcd's transactions and ZooKeeper's {@code multi}. */
@NullMarked
package io.ensemble.benchmarks.tree;

import org.jspecify.annotations.NullMarked;
