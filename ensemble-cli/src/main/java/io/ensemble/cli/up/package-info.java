/** The command that keeps a federation running on this machine. */
@NullMarked
package io.ensemble.cli.up;

import org.jspecify.annotations.NullMarked;
