/** The command that shows the location of a key, and its state at each site. */
@NullMarked
package io.ensemble.cli.explain;

import org.jspecify.annotations.NullMarked;
