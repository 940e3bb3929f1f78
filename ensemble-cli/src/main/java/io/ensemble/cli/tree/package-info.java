/** Commands for the shared trees on a cache. */
@NullMarked
package io.ensemble.cli.tree;

import org.jspecify.annotations.NullMarked;
