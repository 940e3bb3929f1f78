/**
 * Measurements of versioned caches: what loading, storing, reading and writing histories costs with
 * each index, with how many versions of a key, and beside etcd, which keeps versions too (LEADS
 * D2.6, appendix A, section VI).
 */
@NullMarked
package io.ensemble.benchmarks.versions;

import org.jspecify.annotations.NullMarked;
