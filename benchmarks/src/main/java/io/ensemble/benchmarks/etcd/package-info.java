/**
 * As much of etcd's protocol as measurements need, spoken by gRPC: reading a key, as of a revision
 * too, and writing it. The messages are written by hand, since there are four; a client that does
 * nothing else costs less than any other would, which is in etcd's favour.
 */
@NullMarked
package io.ensemble.benchmarks.etcd;

import org.jspecify.annotations.NullMarked;
