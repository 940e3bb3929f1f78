/**
 * YCSB in a process of its own: the benchmarks have a class path of their own, and what they
 * measure must not share a heap with the servers that they measure.
 */
@NullMarked
package io.ensemble.deploy.ycsb;

import org.jspecify.annotations.NullMarked;
