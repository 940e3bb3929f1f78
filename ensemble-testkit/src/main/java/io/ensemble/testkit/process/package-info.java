/**
 * Real sites as real processes: every node is a JVM of its own with the unmodified Infinispan
 * Server. So a test can kill, stop and resume nodes as operating systems do, and the data that a
 * site stores on disk survives all its processes. This package starts, monitors and stops them; a
 * node whose starter dies halts on its own.
 */
@NullMarked
package io.ensemble.testkit.process;

import org.jspecify.annotations.NullMarked;
