/**
 * The federation that commands work on: embedded sites of this process, the file that tells other
 * processes where they are, and the connection that those make of it.
 */
@NullMarked
package io.ensemble.deploy.federation;

import org.jspecify.annotations.NullMarked;
