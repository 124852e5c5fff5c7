-- links.lua - a filter of pandoc(1): links to pages of Markdown become links to
-- the pages made of them; other files of the project keep their place.
local function page(target)
  if target:match('^%a+:') or target:match('^#') then
    return target
  end
  return (target:gsub('README%.md', 'index.html'):gsub('%.md', '.html'))
end

function Link(link)
  link.target = page(link.target)
  return link
end

-- The pictures of timelines.sh, each below the session that shows it. SITE_PICTURES:
-- the folder's path and the page's name in it; pages lie beside the folder.
local shown = 0

function CodeBlock(block)
  local pictures = os.getenv('SITE_PICTURES')
  if not pictures or not block.classes:includes('tilecopy') then
    return nil
  end
  local out = { block }
  for _ in ('\n' .. block.text .. '\n'):gmatch('\ntilecopy> timeline%f[\n]') do
    shown = shown + 1
    local svg = io.open(pictures .. '-' .. shown .. '.svg')
    if svg then
      svg:close()
      local name = 'pictures/' .. pictures:match('[^/]*$') .. '-' .. shown
      table.insert(out, pandoc.RawBlock('html',
        '<figure class="time"><img src="' .. name .. '.svg" alt="the timeline of this run">' ..
        '<figcaption><a href="' .. name .. '.html">step through it</a></figcaption></figure>'))
    end
  end
  return out
end
