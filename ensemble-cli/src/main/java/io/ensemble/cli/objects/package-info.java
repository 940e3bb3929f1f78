/** Commands for the atomic objects on a cache. */
@NullMarked
package io.ensemble.cli.objects;

import org.jspecify.annotations.NullMarked;
