/**
 * Traces of versions: each key, value and version, in the order in which they were written. Traces
 * come from git repositories, where a file is a key and a commit a version. Or they are synthetic,
 * with the shape of Wikipedia's histories (LEADS D2.6, appendix A, section VI). Or they are made
 * from a log of accesses to Wikipedia, and have its reads, too. No class here holds a trace as a
 * whole.
 */
@NullMarked
package io.ensemble.testkit.trace;

import org.jspecify.annotations.NullMarked;
