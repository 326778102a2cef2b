"""Pictures drawn here as SVG: colours and sizes are the style sheet's, words are the template's."""
