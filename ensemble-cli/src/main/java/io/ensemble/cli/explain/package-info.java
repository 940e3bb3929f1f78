/** The commands that show why a cache or a key is at its sites, and which sites would be better. */
@NullMarked
package io.ensemble.cli.explain;

import org.jspecify.annotations.NullMarked;
