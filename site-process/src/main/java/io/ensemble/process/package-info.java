/**
 * A node of a site as a process of its own: the Infinispan Server as it comes, on a class path of
 * its own, tied to the life of whoever started it.
 */
@NullMarked
package io.ensemble.process;

import org.jspecify.annotations.NullMarked;
