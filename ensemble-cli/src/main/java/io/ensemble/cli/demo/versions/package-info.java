/** The demonstration of versioned caches. */
@NullMarked
package io.ensemble.cli.demo.versions;

import org.jspecify.annotations.NullMarked;
