/**
 * Real sites as real processes: every node its own JVM with the Infinispan Server as it comes, so
 * that a test can kill, stop and continue nodes as operating systems do, and so that what a site
 * keeps on disk outlives everybody. Started, watched and stopped from here; a node whose starter
 * dies halts by itself.
 */
@NullMarked
package io.ensemble.testkit.process;

import org.jspecify.annotations.NullMarked;
