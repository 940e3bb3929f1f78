/** Commands for the locks on a cache. */
@NullMarked
package io.ensemble.cli.locks;

import org.jspecify.annotations.NullMarked;
