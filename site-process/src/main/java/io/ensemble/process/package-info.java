/**
 * A node of a site as a process of its own: the unmodified Infinispan Server on its own class path,
 * tied to the life of the process that started it.
 */
@NullMarked
package io.ensemble.process;

import org.jspecify.annotations.NullMarked;
