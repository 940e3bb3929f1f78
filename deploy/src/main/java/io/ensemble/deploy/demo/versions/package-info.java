/** The demonstration of versioned caches. */
@NullMarked
package io.ensemble.deploy.demo.versions;

import org.jspecify.annotations.NullMarked;
