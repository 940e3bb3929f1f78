/**
 * Traces of versions: which key got which value under which version, in the order in which that
 * happened. They come from git repositories, where a file is a key and a commit a version, or are
 * made up with the shape that Wikipedia's histories have (LEADS D2.6, appendix A, section VI).
 * Nothing here holds a trace as a whole.
 */
@NullMarked
package io.ensemble.testkit.trace;

import org.jspecify.annotations.NullMarked;
