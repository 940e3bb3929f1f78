/**
 * Measurements of versioned caches: the cost of loading, storing, reading and writing histories
 * with each index and with several numbers of versions per key. They also compare with etcd, which
 * keeps versions too (LEADS D2.6, appendix A, section VI).
 */
@NullMarked
package io.ensemble.benchmarks.versions;

import org.jspecify.annotations.NullMarked;
