/**
 * The part of etcd's protocol that measurements need, over gRPC: reads of a key, also as of a
 * revision, and writes. The four messages are encoded by hand. A client that does nothing else
 * costs less than any other would, which is in etcd's favour.
 */
@NullMarked
package io.ensemble.benchmarks.etcd;

import org.jspecify.annotations.NullMarked;
