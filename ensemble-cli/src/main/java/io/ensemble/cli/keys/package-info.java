/** Commands for the keys of private caches. */
@NullMarked
package io.ensemble.cli.keys;

import org.jspecify.annotations.NullMarked;
