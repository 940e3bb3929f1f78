/**
 * A node of a site as a process of its own. The process runs the unmodified Infinispan Server on
 * its own class path, and ends with the process that started it.
 */
@NullMarked
package io.ensemble.process;

import org.jspecify.annotations.NullMarked;
