/** Commands that add, drain, recover and remove sites. */
@NullMarked
package io.ensemble.cli.sites;

import org.jspecify.annotations.NullMarked;
