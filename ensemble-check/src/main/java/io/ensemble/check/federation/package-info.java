/**
 * The federation of a command or a trial: the file that describes it, its lock, its sites and
 * logins, and federations that are started on this machine.
 */
@NullMarked
package io.ensemble.check.federation;

import org.jspecify.annotations.NullMarked;
