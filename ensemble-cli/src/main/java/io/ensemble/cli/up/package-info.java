/** The command that runs a federation on this machine. */
@NullMarked
package io.ensemble.cli.up;

import org.jspecify.annotations.NullMarked;
