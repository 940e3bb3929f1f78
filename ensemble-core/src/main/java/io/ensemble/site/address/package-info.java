/**
 * Which addresses a site may have that somebody else registers, so that registration is no way to
 * reach what only this process can reach. Nothing is allowed unless a rule says so, and some
 * addresses never are. A name is resolved once; what was checked is what is connected to.
 */
@NullMarked
package io.ensemble.site.address;

import org.jspecify.annotations.NullMarked;
