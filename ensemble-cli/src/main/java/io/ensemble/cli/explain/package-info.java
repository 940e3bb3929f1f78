/** The command that shows where a key is, and what each site holds of it. */
@NullMarked
package io.ensemble.cli.explain;

import org.jspecify.annotations.NullMarked;
