/** Commands that create, describe, alter, rebuild and delete caches. */
@NullMarked
package io.ensemble.cli.caches;

import org.jspecify.annotations.NullMarked;
